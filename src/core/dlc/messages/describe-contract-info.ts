/**
 * What a contract pays and whom it asks, as doors present it: amounts in BTC, outcomes and rounding moduli (u64) as decimal strings; a
 * field that a kind does not have is null.
 */
import { formatBtc } from '../../amount.ts';
import type {
  ContractCase,
  ContractDescriptor,
  ContractInfo,
  FixedPoint,
  OracleInfo,
  PayoutCurvePiece,
  PayoutPoint,
  RoundingInterval,
} from '../contract-info.ts';
import { describeAnnouncement } from './describe-oracle.ts';

export const describeContractInfo = (info: ContractInfo) => ({
  collateral: formatBtc(info.totalCollateralSats),
  disjoint: info.disjoint,
  cases: info.cases.map(describeCase),
});

export const describeRounding = (intervals: readonly RoundingInterval[]) =>
  intervals.map(({ beginInterval, roundingMod }) => ({ from: `${beginInterval}`, modulus: `${roundingMod}` }));

const describeCase = ({ descriptor, oracleInfo }: ContractCase) => ({
  ...describeDescriptor(descriptor),
  oracles: describeOracles(oracleInfo),
});

function describeDescriptor(descriptor: ContractDescriptor) {
  if (descriptor.kind === 'enumerated') {
    // The offerer's.
    const payouts = descriptor.payouts.map(({ outcome, offerPayoutSats }) => ({
      outcome,
      payout: formatBtc(offerPayoutSats),
    }));
    return { type: 'enumerated' as const, payouts, digits: null, payout_function: null, rounding: null };
  }
  const { digits, payoutFunction, roundingIntervals } = descriptor;
  const pieces = payoutFunction.pieces.map(({ endPoint, curve }) => ({
    from: describePoint(endPoint),
    ...describeCurve(curve),
  }));
  return {
    type: 'numeric' as const,
    payouts: null,
    digits,
    /** Where the last piece ends is `to`. */
    payout_function: { pieces, to: describePoint(payoutFunction.lastEndPoint) },
    rounding: describeRounding(roundingIntervals),
  };
}

const describeCurve = (curve: PayoutCurvePiece) =>
  curve.kind === 'polynomial'
    ? { type: curve.kind, points: curve.points.map(describePoint), hyperbola: null }
    : { type: curve.kind, points: null, hyperbola: describeHyperbola(curve) };

/** Exact decimals. */
export const describeHyperbola = (curve: Extract<PayoutCurvePiece, { kind: 'hyperbola' }>) => ({
  use_positive_piece: curve.usePositivePiece,
  translate_outcome: decimal(curve.translateOutcome),
  translate_payout: decimal(curve.translatePayout),
  a: decimal(curve.a),
  b: decimal(curve.b),
  c: decimal(curve.c),
  d: decimal(curve.d),
});

const describePoint = ({ eventOutcome, payoutSats, extraPrecision }: PayoutPoint) => ({
  outcome: `${eventOutcome}`,
  payout: formatBtc(payoutSats),
  /** In 65536ths of a satoshi, on top of the payout. */
  extra_precision: extraPrecision,
});

const describeOracles = (info: OracleInfo) =>
  info.kind === 'single'
    ? { threshold: 1, announcements: [describeAnnouncement(info.announcement)], differing: null }
    : {
        threshold: info.threshold,
        announcements: info.announcements.map(describeAnnouncement),
        differing: info.params && {
          max_error_exp: info.params.maxErrorExp,
          min_fail_exp: info.params.minFailExp,
          maximize_coverage: info.params.maximizeCoverage,
        },
      };

/** A binary fraction has as many decimals as bits behind the point. */
function decimal({ negative, magnitude, fractionBits }: FixedPoint): string {
  const digits = (magnitude * 5n ** BigInt(fractionBits)).toString().padStart(fractionBits + 1, '0');
  const whole = digits.slice(0, digits.length - fractionBits);
  const fraction = digits.slice(digits.length - fractionBits).replace(/0+$/, '');
  return `${negative && magnitude !== 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}
