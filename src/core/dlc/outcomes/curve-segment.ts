import { DomainError } from '../../errors.ts';
import type { Dialect } from '../dialect.ts';

/** A stretch of a payout curve, both ends included, over whose outcomes the payout only rises or only falls (or stays). */
export interface CurveSegment {
  readonly from: bigint;
  readonly to: bigint;
  readonly curve: ExactCurve;
}

export interface ExactCurve {
  /**
   * The value at an outcome, counted in `unit` satoshis: floor(value / unit), or the nearest whole number, halves up. Exact, however
   * the value itself would have to be rounded to be written down.
   */
  countOf(outcome: bigint, unit: bigint, rounding: 'down' | 'nearest'): bigint;
}

/**
 * Where the value lies in the middle between two multiples of the rounding, or next to it: up, as it is exactly, or where doubles put it,
 * which rust-dlc and dlcdevkit compute in.
 */
export type Ties = 'exact' | 'double';

export const tiesOf = (dialect: Dialect): Ties => (dialect === 'tagged' ? 'double' : 'exact');

/** A curve that cannot be paid by; `field` is relative to the case of the contract. */
export const refusedCurve = (reason: string, field: string): DomainError =>
  new DomainError('contract_refused', reason, { field });

/** Payouts of points have 16 binary digits behind the point. */
export const POINT_SCALE = 65_536n;

/** floor(dividend / divisor), or to the nearest with halves up; the divisor must be positive. */
export function countScaled(dividend: bigint, divisor: bigint, rounding: 'down' | 'nearest'): bigint {
  const [above, below] = rounding === 'down' ? [dividend, divisor] : [2n * dividend + divisor, 2n * divisor];
  const quotient = above / below;
  return above < 0n && quotient * below !== above ? quotient - 1n : quotient;
}
