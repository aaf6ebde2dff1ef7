import type { NumericDescriptor } from '../contract-info.ts';
import type { CurveSegment, Ties } from './curve-segment.ts';
import { curveSegments } from './payout-curve.ts';
import { roundingStretches } from './rounding.ts';

/** Neighbouring outcomes, both ends included, that pay the same; as many as there are. */
export interface PayoutRun {
  readonly start: bigint;
  readonly end: bigint;
  readonly offerPayoutSats: bigint;
}

/**
 * The domain in runs, ascending: dlcspecs NumericOutcome.md, "Contract Execution Transaction Calculation and Signing" (rounded, then kept
 * within 0 and the collateral; an interval "changing at every point" is runs of one). Change points are searched for on monotone
 * stretches, doubling from the length of the run before, so the work goes with the runs and not with the outcomes: stop reading to
 * stop working. The descriptor must be sound (validateContractInfo).
 */
export function* payoutRuns(
  descriptor: Pick<NumericDescriptor, 'payoutFunction' | 'roundingIntervals'>,
  totalCollateralSats: bigint,
  ties: Ties = 'exact',
): Generator<PayoutRun> {
  let pending = null as PayoutRun | null;
  for (const { from, to, curve, unit } of roundedSegments(descriptor, ties)) {
    const payoutAt = (outcome: bigint): bigint =>
      withinCollateral(unit * curve.countOf(outcome, unit, 'nearest'), totalCollateralSats);
    let length = 1n;
    for (let start = from; start <= to; ) {
      const offerPayoutSats = payoutAt(start);
      const end = lastAlike(payoutAt, offerPayoutSats, start, to, length);
      length = end - start + 1n;
      if (pending?.offerPayoutSats === offerPayoutSats) {
        pending = { start: pending.start, end, offerPayoutSats };
      } else {
        if (pending) yield pending;
        pending = { start, end, offerPayoutSats };
      }
      start = end + 1n;
    }
  }
  if (pending) yield pending;
}

export const withinCollateral = (payoutSats: bigint, totalCollateralSats: bigint): bigint =>
  payoutSats < 0n ? 0n : payoutSats > totalCollateralSats ? totalCollateralSats : payoutSats;

/**
 * The last outcome up to `to` that pays as `start` does, payouts being monotone. Looks first at `guess` behind the start, since runs of a
 * curve are about as long as the one before, then away from there in doubling steps, then halves.
 */
function lastAlike(
  payoutAt: (outcome: bigint) => bigint,
  payout: bigint,
  start: bigint,
  to: bigint,
  guess: bigint,
): bigint {
  let alike = start;
  let other = start + guess <= to ? start + guess : to + 1n;
  let step = 1n;
  if (other <= to && payoutAt(other) === payout) {
    alike = other;
    other = to + 1n;
    for (; alike + step <= to; step *= 2n) {
      if (payoutAt(alike + step) !== payout) {
        other = alike + step;
        break;
      }
      alike += step;
    }
  } else {
    for (; other - step > alike; step *= 2n) {
      if (payoutAt(other - step) === payout) {
        alike = other - step;
        break;
      }
      other -= step;
    }
  }
  while (other - alike > 1n) {
    const middle = (alike + other) >> 1n;
    if (payoutAt(middle) === payout) alike = middle;
    else other = middle;
  }
  return alike;
}

/** The segments, cut where another rounding begins. */
function* roundedSegments(
  { payoutFunction, roundingIntervals }: Pick<NumericDescriptor, 'payoutFunction' | 'roundingIntervals'>,
  ties: Ties,
): Generator<CurveSegment & { readonly unit: bigint }> {
  const stretches = roundingStretches(roundingIntervals);
  let at = 0;
  for (const segment of curveSegments(payoutFunction, ties)) {
    let { from } = segment;
    while (from <= segment.to) {
      while (stretches[at + 1] && stretches[at + 1]!.from <= from) at++;
      const next = stretches[at + 1]?.from;
      const to = next !== undefined && next <= segment.to ? next - 1n : segment.to;
      yield { from, to, curve: segment.curve, unit: stretches[at]!.unit };
      from = to + 1n;
    }
  }
}
