import type { NumericDescriptor } from '../contract-info.ts';
import { curveSegments } from './payout-curve.ts';
import { withinCollateral } from './payout-runs.ts';

/** Tried one after the other, each ten times as coarse as the one before. */
const TRIES = 3;

/**
 * Advice for a contract that takes too many signatures: a power of ten to round to with which it would do, and how many it would take then.
 * `mostPrefixes`: how many digit prefixes may be needed. `countWith`: signatures with that rounding everywhere, null for too many still.
 */
export function coarserRounding(
  descriptor: NumericDescriptor,
  totalCollateralSats: bigint,
  mostPrefixes: number,
  countWith: (unit: bigint) => number | null,
): string {
  // A payout that changes by so much in all takes that / unit steps, each of several prefixes; at least two, or nothing is decided.
  const steps = BigInt(Math.max(Math.floor(mostPrefixes / 8), 1));
  const variation = totalVariation(descriptor, totalCollateralSats);
  let unit = 10n;
  while (unit * steps < variation) unit *= 10n;
  for (let tried = 0; tried < TRIES && 2n * unit <= variation; tried++, unit *= 10n) {
    const count = countWith(unit);
    if (count !== null)
      return `rounded to multiples of ${unit} satoshis everywhere (rounding_mod), it would be ${count}`;
  }
  return 'round more coarsely (a larger rounding_mod), or use fewer pieces or fewer oracles';
}

function totalVariation({ payoutFunction }: NumericDescriptor, totalCollateralSats: bigint): bigint {
  return curveSegments(payoutFunction).reduce((sum, { from, to, curve }) => {
    const [first, last] = [from, to].map((outcome) =>
      withinCollateral(curve.countOf(outcome, 1n, 'nearest'), totalCollateralSats),
    );
    return sum + (last! > first! ? last! - first! : first! - last!);
  }, 0n);
}
