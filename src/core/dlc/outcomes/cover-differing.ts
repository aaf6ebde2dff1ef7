import { type DigitPrefix, endOf, lastOutcome } from './digit-prefixes.ts';

/**
 * How far oracles may lie apart: up to 2^minFailExp with two of them surely, more than 2^maxErrorExp surely not where it changes the
 * payout, in between as often as may be. minFailExp < maxErrorExp < digits.
 */
export interface DifferenceBounds {
  readonly digits: number;
  readonly minFailExp: number;
  readonly maxErrorExp: number;
}

/**
 * What `count` oracles may say together where the primary, first of them, says `primary` (dlcspecs MultiOracle.md, "2-of-2 Oracles with
 * Bounded Error" and "n-of-n", with the most coverage): each a prefix per oracle, the primary's first. Small intervals give one saying,
 * or 2^(count - 1) with two prefixes for each other oracle; large ones the middle and, to either side that is there, all but all others
 * in the middle, where those count as in the middle that are as near to that side as the primary. Ascending. This is
 * what dlcspecs' vectors, rust-dlc and dlcdevkit sign (docs/decisions/1195).
 */
export function coverDiffering(primary: DigitPrefix, count: number, bounds: DifferenceBounds): DigitPrefix[][] {
  return primary.ignored < bounds.maxErrorExp ? coverSmall(primary, count, bounds) : coverLarge(primary, count, bounds);
}

function coverSmall(primary: DigitPrefix, count: number, bounds: DifferenceBounds): DigitPrefix[][] {
  const { digits, minFailExp, maxErrorExp } = bounds;
  const minSupport = 1n << BigInt(minFailExp);
  const window = blockAt(primary.start, maxErrorExp);
  const windowEnd = endOf(window);
  if (primary.start < window.start + minSupport && window.start > 0n) {
    return eachSaying(primary, blockAt(window.start - 1n, maxErrorExp - 1), window, count);
  }
  if (endOf(primary) > windowEnd - minSupport && windowEnd < lastOutcome(digits)) {
    return eachSaying(primary, window, blockAt(windowEnd + 1n, maxErrorExp - 1), count);
  }
  return [[primary, ...new Array<DigitPrefix>(count - 1).fill(window)]];
}

function coverLarge(primary: DigitPrefix, count: number, { digits, maxErrorExp }: DifferenceBounds): DigitPrefix[][] {
  const { start } = primary;
  const end = endOf(primary);
  const half = maxErrorExp - 1;
  const sayings: DigitPrefix[][] = [new Array<DigitPrefix>(count).fill(primary)];
  if (start > 0n) {
    const inner = blockAt(start, half);
    sayings.unshift(...eachSaying(inner, blockAt(start - 1n, half), inner, count).slice(0, -1));
  }
  if (end < lastOutcome(digits)) {
    const inner = blockAt(end, half);
    sayings.push(...eachSaying(inner, inner, blockAt(end + 1n, half), count).slice(1));
  }
  return sayings;
}

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
