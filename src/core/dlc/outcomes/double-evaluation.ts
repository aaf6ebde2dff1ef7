import type { PayoutPoint } from '../contract-info.ts';
import { POINT_SCALE } from './curve-segment.ts';

/** Within this share of the rounding of a tie, doubles may fall on either side of it. */
const NEAR = 1024n;

/** Whether value / divisor is so near to a whole number and a half that doubles need not round it as fractions do. */
export function isNearTie(value: bigint, divisor: bigint): boolean {
  const twice = 2n * divisor;
  const rest = (((2n * value) % twice) + twice) % twice;
  const apart = rest > divisor ? rest - divisor : divisor - rest;
  return apart * NEAR < twice;
}

/**
 * What rust-dlc and dlcdevkit make of a polynomial piece, counted in `unit` satoshis: evaluated and rounded in doubles, in their order of
 * steps, which decides where a tie falls. They draw a line between the points' whole satoshis, without their extra precision. null
 * where doubles do not tell the points' outcomes apart (above 2^53), and come to nothing.
 */
export function countInDoubles(points: readonly PayoutPoint[], outcome: bigint, unit: bigint): bigint | null {
  const value = points.length === 2 ? onLine(points[0]!, points[1]!, outcome) : lagrange(points, outcome);
  if (!Number.isFinite(value)) return null;
  const modulus = Number(unit);
  const rest = value >= 0 ? value % modulus : (value % modulus) + modulus;
  return BigInt(Math.round(rest >= modulus / 2 ? value + modulus - rest : value - rest)) / unit;
}

function onLine(left: PayoutPoint, right: PayoutPoint, outcome: bigint): number {
  const [from, to] = [Number(left.payoutSats), Number(right.payoutSats)];
  const slope = (to - from) / Number(right.eventOutcome - left.eventOutcome);
  return Number(outcome - left.eventOutcome) * slope + from;
}

function lagrange(points: readonly PayoutPoint[], outcome: bigint): number {
  const places = points.map(({ eventOutcome }) => Number(eventOutcome));
  const at = Number(outcome);
  let sum = 0;
  for (const [i, { payoutSats, extraPrecision }] of points.entries()) {
    let term = Number(payoutSats) + extraPrecision / Number(POINT_SCALE);
    for (const [j, place] of places.entries()) if (j !== i) term *= (at - place) / (places[i]! - place);
    sum += term;
  }
  return sum;
}
