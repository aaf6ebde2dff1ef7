/** A numeric descriptor as records keep and answer it: decimals in place of the core's integers. */
import { formatBtc } from '../../core/amount.ts';
import type { FixedPoint, PayoutCurvePiece, PayoutPoint } from '../../core/dlc/contract-info.ts';
import type { NumericTerms } from './contract-service.ts';

interface WrittenPoint {
  readonly outcome: string;
  /** BTC */
  readonly payout: string;
  readonly extra_precision: number;
  readonly is_endpoint: boolean;
  readonly hyperbola: WrittenHyperbola | null;
}

interface WrittenHyperbola {
  readonly use_positive_piece: boolean;
  readonly translate_outcome: string;
  readonly translate_payout: string;
  readonly a: string;
  readonly b: string;
  readonly c: string;
  readonly d: string;
}

export interface WrittenDescriptor {
  readonly base: number;
  readonly digits: number;
  readonly unit: string;
  readonly precision: number;
  readonly payout_points: readonly WrittenPoint[];
  readonly rounding: readonly { readonly begin_interval: string; readonly rounding_mod: string }[];
}

export function writtenDescriptor(terms: Omit<NumericTerms, 'written'>): WrittenDescriptor {
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

const written = (point: PayoutPoint, isEndpoint: boolean, curve?: PayoutCurvePiece): WrittenPoint => ({
  outcome: point.eventOutcome.toString(),
  payout: formatBtc(point.payoutSats),
  extra_precision: point.extraPrecision,
  is_endpoint: isEndpoint,
  hyperbola:
    curve?.kind === 'hyperbola'
      ? {
          use_positive_piece: curve.usePositivePiece,
          translate_outcome: decimals(curve.translateOutcome),
          translate_payout: decimals(curve.translatePayout),
          a: decimals(curve.a),
          b: decimals(curve.b),
          c: decimals(curve.c),
          d: decimals(curve.d),
        }
      : null,
});

/** Exact: a binary fraction has as many decimals as bits. */
function decimals({ negative, magnitude, fractionBits }: FixedPoint): string {
  const digits = (magnitude * 5n ** BigInt(fractionBits)).toString().padStart(fractionBits + 1, '0');
  const whole = digits.slice(0, digits.length - fractionBits);
  const fraction = digits.slice(digits.length - fractionBits).replace(/0+$/, '');
  return `${negative && magnitude > 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}
