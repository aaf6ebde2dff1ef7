import type { AdaptorCase } from '../adaptor-case.ts';
import type { ContractCase, PayoutFunction } from '../contract-info.ts';
import type { CurveSegment } from './curve-segment.ts';
import { curveSegments } from './payout-curve.ts';
import { withinCollateral } from './payout-runs.ts';
import { roundingAt } from './rounding.ts';

/**
 * What a counterparty that evaluates the curve in floating point may have come to instead: the payout rounded the other way, at the first
 * and at the last outcome that the case covers (dlcspecs NumericOutcome.md, "Contract Execution Transaction Signature Validation").
 * At most two, without the case's own; none for enumerated contracts, and none where the curve is at a multiple of the rounding.
 */
export function neighbourPayouts(
  contractCase: ContractCase,
  totalCollateralSats: bigint,
  adaptorCase: AdaptorCase,
): bigint[] {
  const { descriptor } = contractCase;
  const [primary] = adaptorCase.attested;
  if (descriptor.kind === 'enumerated' || !primary) return [];
  const ignored = BigInt(descriptor.digits - primary.outcomes.length);
  const start = BigInt(`0b0${primary.outcomes.join('')}`) << ignored;
  const others = new Set<bigint>();
  for (const outcome of [start, start + (1n << ignored) - 1n]) {
    const unit = roundingAt(descriptor.roundingIntervals, outcome);
    const { curve } = segmentAt(descriptor.payoutFunction, outcome);
    const below = curve.countOf(outcome, unit, 'down');
    // Twice the distance from where rounding turns over, and of the value only the whole satoshis: within one satoshi, or it is no error.
    const twice = 2n * (curve.countOf(outcome, 1n, 'down') - below * unit) - unit;
    if (twice < -4n || twice > 2n) continue;
    for (const count of [below, below + 1n]) others.add(withinCollateral(count * unit, totalCollateralSats));
  }
  others.delete(adaptorCase.offerPayoutSats);
  return [...others];
}

const known = new WeakMap<PayoutFunction, readonly CurveSegment[]>();

function segmentAt(payoutFunction: PayoutFunction, outcome: bigint): CurveSegment {
  const segments = known.get(payoutFunction) ?? curveSegments(payoutFunction);
  known.set(payoutFunction, segments);
  let [low, high] = [0, segments.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (segments[middle]!.to < outcome) low = middle + 1;
    else high = middle;
  }
  return segments[low]!;
}
