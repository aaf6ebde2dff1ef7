/** What a contract pays for which outcome, and whom it asks (dlcspecs Messaging.md, NumericOutcome.md, PayoutCurve.md, MultiOracle.md). */
import type { OracleAnnouncement } from './oracle-event.ts';

export interface EnumeratedDescriptor {
  readonly kind: 'enumerated';
  readonly payouts: readonly { readonly outcome: string; readonly offerPayoutSats: bigint }[];
}

/** The payout is payoutSats + extraPrecision / 65536. */
export interface PayoutPoint {
  readonly eventOutcome: bigint;
  readonly payoutSats: bigint;
  /** u16 */
  readonly extraPrecision: number;
}

/**
 * A parameter of a hyperbola: magnitude / 2^fractionBits, negated where said. Exact, whichever way it came: dlcspecs writes 64 bits and
 * 16 behind the point (fractionBits 16), dlcdevkit and rust-dlc an IEEE double (`tagged`; fractionBits at most 128).
 */
export interface FixedPoint {
  readonly negative: boolean;
  readonly magnitude: bigint;
  readonly fractionBits: number;
}

export type PayoutCurvePiece =
  | { readonly kind: 'polynomial'; readonly points: readonly PayoutPoint[] }
  | {
      readonly kind: 'hyperbola';
      readonly usePositivePiece: boolean;
      readonly translateOutcome: FixedPoint;
      readonly translatePayout: FixedPoint;
      readonly a: FixedPoint;
      readonly b: FixedPoint;
      readonly c: FixedPoint;
      readonly d: FixedPoint;
    };

/** The offerer's payout by outcome. Each piece begins at its `endPoint` and ends where the next begins. */
export interface PayoutFunction {
  readonly pieces: readonly { readonly endPoint: PayoutPoint; readonly curve: PayoutCurvePiece }[];
  readonly lastEndPoint: PayoutPoint;
}

export interface RoundingInterval {
  readonly beginInterval: bigint;
  readonly roundingMod: bigint;
}

export interface NumericDescriptor {
  readonly kind: 'numeric';
  /** Binary digits. */
  readonly digits: number;
  readonly payoutFunction: PayoutFunction;
  readonly roundingIntervals: readonly RoundingInterval[];
}

export type ContractDescriptor = EnumeratedDescriptor | NumericDescriptor;

/** How far the values of several oracles may lie apart: by up to 2^minFailExp in any case, by more than 2^maxErrorExp not where it matters. */
export interface OracleParams {
  readonly maxErrorExp: number;
  readonly minFailExp: number;
  readonly maximizeCoverage: boolean;
}

/** Announcements in order of preference; `threshold` of them decide. */
export type OracleInfo =
  | { readonly kind: 'single'; readonly announcement: OracleAnnouncement }
  | {
      readonly kind: 'multi';
      readonly threshold: number;
      readonly announcements: readonly OracleAnnouncement[];
      readonly params: OracleParams | null;
    };

/** One event (or several oracles' events on the same thing) and what is paid by it. */
export interface ContractCase {
  readonly descriptor: ContractDescriptor;
  readonly oracleInfo: OracleInfo;
}

export interface ContractInfo {
  readonly totalCollateralSats: bigint;
  /** Serialized as a disjoint union (type 1), of however many cases; else there is one. */
  readonly disjoint: boolean;
  readonly cases: readonly ContractCase[];
}
