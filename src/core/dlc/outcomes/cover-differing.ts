import type { OracleParams } from '../contract-info.ts';
import { type DigitPrefix, endOf, lastOutcome } from './digit-prefixes.ts';

/**
 * How far oracles may lie apart: up to 2^minFailExp surely, more than 2^maxErrorExp surely not where it changes the payout; in between
 * rather yes than no where maximizeCoverage says so. minFailExp < maxErrorExp < digits.
 */
export interface DifferenceBounds extends OracleParams {
  readonly digits: number;
  /** Where one other oracle is beside a large interval, where the rest must be: within all of it, or as near to that side as the primary. */
  readonly restWithin: 'interval' | 'inner';
}

/**
 * What `count` oracles may say together where the primary, first of them, says `primary` (dlcspecs MultiOracle.md, "2-of-2 Oracles with
 * Bounded Error" and "n-of-n"): each a prefix per oracle, the primary's first. Small intervals give one saying, or 2^(count - 1) with
 * two prefixes for each other oracle; large ones the middle and, to either side that is there, all but all others in the middle.
 * Ascending, as rust-dlc orders them.
 */
export function coverDiffering(primary: DigitPrefix, count: number, bounds: DifferenceBounds): DigitPrefix[][] {
  return primary.ignored < bounds.maxErrorExp ? coverSmall(primary, count, bounds) : coverLarge(primary, count, bounds);
}

function coverSmall(primary: DigitPrefix, count: number, bounds: DifferenceBounds): DigitPrefix[][] {
  const { digits, minFailExp, maxErrorExp, maximizeCoverage } = bounds;
  const { start } = primary;
  const end = endOf(primary);
  const minSupport = 1n << BigInt(minFailExp);
  const window: DigitPrefix = { start: (start >> BigInt(maxErrorExp)) << BigInt(maxErrorExp), ignored: maxErrorExp };
  const windowEnd = endOf(window);
  const nearLeft = start < window.start + minSupport;
  const nearRight = end > windowEnd - minSupport;
  if (!nearLeft && !nearRight) {
    return allSaying(primary, maximizeCoverage ? window : smallestAround(start - minSupport, end + minSupport), count);
  }
  if (nearLeft) {
    const right = maximizeCoverage ? window : leftPartTo(window, end + minSupport);
    if (window.start === 0n) return allSaying(primary, right, count);
    const left = maximizeCoverage
      ? blockAt(window.start - 1n, maxErrorExp - 1)
      : rightPartFrom(blockAt(window.start - 1n, maxErrorExp), start - minSupport);
    return eachSaying(primary, left, right, count);
  }
  const left = maximizeCoverage ? window : rightPartFrom(window, start - minSupport);
  if (windowEnd === lastOutcome(digits)) return allSaying(primary, left, count);
  const right = maximizeCoverage
    ? blockAt(windowEnd + 1n, maxErrorExp - 1)
    : leftPartTo(blockAt(windowEnd + 1n, maxErrorExp), end + minSupport);
  return eachSaying(primary, left, right, count);
}

function coverLarge(primary: DigitPrefix, count: number, bounds: DifferenceBounds): DigitPrefix[][] {
  const { digits, minFailExp, maxErrorExp, maximizeCoverage, restWithin } = bounds;
  const { start } = primary;
  const end = endOf(primary);
  const depth = maximizeCoverage ? maxErrorExp - 1 : minFailExp;
  const sayings = allSaying(primary, primary, count);
  if (start > 0n) {
    const inner = blockAt(start, depth);
    const rest = restWithin === 'inner' ? inner : primary;
    sayings.unshift(...eachSaying(inner, blockAt(start - 1n, depth), rest, count).slice(0, -1));
  }
  if (end < lastOutcome(digits)) {
    const inner = blockAt(end, depth);
    const rest = restWithin === 'inner' ? inner : primary;
    sayings.push(...eachSaying(inner, rest, blockAt(end + 1n, depth), count).slice(1));
  }
  return sayings;
}

const allSaying = (primary: DigitPrefix, other: DigitPrefix, count: number): DigitPrefix[][] => [
  [primary, ...new Array<DigitPrefix>(count - 1).fill(other)],
];

/** Every way in which the others say left or right, left first, the last oracle changing fastest. */
function eachSaying(primary: DigitPrefix, left: DigitPrefix, right: DigitPrefix, count: number): DigitPrefix[][] {
  return Array.from({ length: 2 ** (count - 1) }, (_, way) => [
    primary,
    ...Array.from({ length: count - 1 }, (_, i) => ((way >> (count - 2 - i)) & 1 ? right : left)),
  ]);
}

/** The block of 2^ignored outcomes that `outcome` lies in. */
const blockAt = (outcome: bigint, ignored: number): DigitPrefix => ({
  start: (outcome >> BigInt(ignored)) << BigInt(ignored),
  ignored,
});

function smallestAround(from: bigint, to: bigint): DigitPrefix {
  let ignored = 0;
  while (from >> BigInt(ignored) !== to >> BigInt(ignored)) ignored++;
  return blockAt(from, ignored);
}

/** The block without its right half, as long as what remains still ends at `to` or behind. */
function leftPartTo(block: DigitPrefix, to: bigint): DigitPrefix {
  let { ignored } = block;
  while (ignored > 0 && endOf({ start: block.start, ignored: ignored - 1 }) >= to) ignored--;
  return { start: block.start, ignored };
}

/** The block without its left half, as long as what remains still begins at `from` or before. */
function rightPartFrom(block: DigitPrefix, from: bigint): DigitPrefix {
  let { ignored } = block;
  const end = endOf(block);
  while (ignored > 0 && end - (1n << BigInt(ignored - 1)) + 1n <= from) ignored--;
  return { start: end - (1n << BigInt(ignored)) + 1n, ignored };
}
