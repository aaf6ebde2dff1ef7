import type { NumericDescriptor } from '../contract-info.ts';
import type { CurveSegment } from '../outcomes/curve-segment.ts';
import { curveSegments } from '../outcomes/payout-curve.ts';
import { withinCollateral } from '../outcomes/payout-runs.ts';
import { roundingAt } from '../outcomes/rounding.ts';
import type { ContractPart, DlcContract } from './dlc-contract.ts';

/**
 * What a case would pay had its payout been rounded the other way, up instead of down or down instead of up: machines that compute the
 * curve in floating point may differ in that (dlcspecs NumericOutcome.md, Contract Execution Transaction Signature Validation). None where
 * the curve is at a multiple of the rounding to the satoshi: there nobody errs that far.
 */
export function payoutsRoundedOtherwise(contract: DlcContract, caseIndex: number): bigint[] {
  const part = contract.partOf(caseIndex);
  const { descriptor } = part.contractCase;
  if (descriptor.kind !== 'numeric') return [];
  const { offerPayoutSats, attested } = contract.caseAt(caseIndex);
  const outcome = firstOutcome(attested[0]?.outcomes ?? [], descriptor.digits);
  const segment = segmentAt(segmentsOf(part, descriptor), outcome);
  const unit = roundingAt(descriptor.roundingIntervals, outcome);
  const down = segment.curve.countOf(outcome, unit, 'down');
  const nearest = segment.curve.countOf(outcome, unit, 'nearest');
  if (unit > 2n && segment.curve.countOf(outcome, 1n, 'down') === down * unit) return [];
  const other = withinCollateral((nearest === down ? down + 1n : down) * unit, contract.totalCollateralSats);
  return other === offerPayoutSats ? [] : [other];
}

/** Of the outcomes that begin with these binary digits. */
const firstOutcome = (digits: readonly string[], count: number): bigint =>
  BigInt(`0b${digits.join('').padEnd(count, '0')}`);

/** Made once for a part: its curve may have thousands of pieces. */
const prepared = new WeakMap<ContractPart, readonly CurveSegment[]>();

function segmentsOf(part: ContractPart, { payoutFunction }: NumericDescriptor): readonly CurveSegment[] {
  let segments = prepared.get(part);
  if (segments === undefined) {
    segments = curveSegments(payoutFunction);
    prepared.set(part, segments);
  }
  return segments;
}

/** They cover the domain, ascending. */
function segmentAt(segments: readonly CurveSegment[], outcome: bigint): CurveSegment {
  let [low, high] = [0, segments.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((segments[middle] as CurveSegment).to < outcome) low = middle + 1;
    else high = middle;
  }
  return segments[low] as CurveSegment;
}
