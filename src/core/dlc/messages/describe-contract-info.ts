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
import { type AnnouncementDescription, describeAnnouncement } from './describe-oracle.ts';

interface PayoutPointDescription {
  readonly outcome: string;
  readonly payout: string;
  /** In 65536ths of a satoshi, on top of the payout. */
  readonly extra_precision: number;
}

interface PieceDescription {
  readonly from: PayoutPointDescription;
  readonly type: 'polynomial' | 'hyperbola';
  readonly points: readonly PayoutPointDescription[] | null;
  /** Exact decimals. */
  readonly hyperbola: {
    readonly use_positive_piece: boolean;
    readonly translate_outcome: string;
    readonly translate_payout: string;
    readonly a: string;
    readonly b: string;
    readonly c: string;
    readonly d: string;
  } | null;
}

export interface RoundingDescription {
  readonly from: string;
  readonly modulus: string;
}

export interface ContractCaseDescription {
  readonly type: 'enumerated' | 'numeric';
  /** The offerer's. */
  readonly payouts: readonly { readonly outcome: string; readonly payout: string }[] | null;
  readonly digits: number | null;
  /** Where the last piece ends is `to`. */
  readonly payout_function: {
    readonly pieces: readonly PieceDescription[];
    readonly to: PayoutPointDescription;
  } | null;
  readonly rounding: readonly RoundingDescription[] | null;
  readonly oracles: {
    readonly threshold: number;
    readonly announcements: readonly AnnouncementDescription[];
    readonly differing: {
      readonly max_error_exp: number;
      readonly min_fail_exp: number;
      readonly maximize_coverage: boolean;
    } | null;
  };
}

export interface ContractInfoDescription {
  readonly collateral: string;
  readonly disjoint: boolean;
  readonly cases: readonly ContractCaseDescription[];
}

export const describeContractInfo = (info: ContractInfo): ContractInfoDescription => ({
  collateral: formatBtc(info.totalCollateralSats),
  disjoint: info.disjoint,
  cases: info.cases.map(describeCase),
});

export const describeRounding = (intervals: readonly RoundingInterval[]): RoundingDescription[] =>
  intervals.map(({ beginInterval, roundingMod }) => ({ from: `${beginInterval}`, modulus: `${roundingMod}` }));

const describeCase = ({ descriptor, oracleInfo }: ContractCase): ContractCaseDescription => ({
  ...describeDescriptor(descriptor),
  oracles: describeOracles(oracleInfo),
});

function describeDescriptor(descriptor: ContractDescriptor): Omit<ContractCaseDescription, 'oracles'> {
  if (descriptor.kind === 'enumerated') {
    const payouts = descriptor.payouts.map(({ outcome, offerPayoutSats }) => ({
      outcome,
      payout: formatBtc(offerPayoutSats),
    }));
    return { type: 'enumerated', payouts, digits: null, payout_function: null, rounding: null };
  }
  const { digits, payoutFunction, roundingIntervals } = descriptor;
  const pieces = payoutFunction.pieces.map(({ endPoint, curve }) => ({
    from: describePoint(endPoint),
    ...describeCurve(curve),
  }));
  return {
    type: 'numeric',
    payouts: null,
    digits,
    payout_function: { pieces, to: describePoint(payoutFunction.lastEndPoint) },
    rounding: describeRounding(roundingIntervals),
  };
}

function describeCurve(curve: PayoutCurvePiece): Omit<PieceDescription, 'from'> {
  if (curve.kind === 'polynomial')
    return { type: 'polynomial', points: curve.points.map(describePoint), hyperbola: null };
  return {
    type: 'hyperbola',
    points: null,
    hyperbola: {
      use_positive_piece: curve.usePositivePiece,
      translate_outcome: decimal(curve.translateOutcome),
      translate_payout: decimal(curve.translatePayout),
      a: decimal(curve.a),
      b: decimal(curve.b),
      c: decimal(curve.c),
      d: decimal(curve.d),
    },
  };
}

const describePoint = ({ eventOutcome, payoutSats, extraPrecision }: PayoutPoint): PayoutPointDescription => ({
  outcome: `${eventOutcome}`,
  payout: formatBtc(payoutSats),
  extra_precision: extraPrecision,
});

const describeOracles = (info: OracleInfo): ContractCaseDescription['oracles'] =>
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
