/** A numeric descriptor as records keep and answer it: decimals in place of the core's integers. */
import { formatBtc } from '../../core/amount.ts';
import type { PayoutCurvePiece, PayoutPoint } from '../../core/dlc/contract-info.ts';
import { describeHyperbola } from '../../core/dlc/messages/describe-contract-info.ts';
import type { NumericTerms } from './contract-service.ts';

export function writtenDescriptor(terms: Omit<NumericTerms, 'written'>) {
  const { pieces, lastEndPoint } = terms.payoutFunction;
  return {
    base: 2,
    digits: terms.digits,
    unit: terms.unit,
    precision: terms.precision,
    payout_points: [
      ...pieces.flatMap(({ endPoint, curve }) => [
        written(endPoint, true, curve),
        ...(curve.kind === 'polynomial' ? curve.points.map((point) => written(point, false)) : []),
      ]),
      written(lastEndPoint, true),
    ],
    rounding: terms.roundingIntervals.map(({ beginInterval, roundingMod }) => ({
      begin_interval: beginInterval.toString(),
      rounding_mod: formatBtc(roundingMod),
    })),
  };
}

const written = (point: PayoutPoint, isEndpoint: boolean, curve?: PayoutCurvePiece) => ({
  outcome: point.eventOutcome.toString(),
  /** BTC */
  payout: formatBtc(point.payoutSats),
  extra_precision: point.extraPrecision,
  is_endpoint: isEndpoint,
  hyperbola: curve?.kind === 'hyperbola' ? describeHyperbola(curve) : null,
});
