import type { PayoutPoint } from '../contract-info.ts';
import {
  type CurveSegment,
  countScaled,
  type ExactCurve,
  POINT_SCALE,
  refusedCurve,
  type Ties,
} from './curve-segment.ts';
import { countInDoubles, isNearTie } from './double-evaluation.ts';
import { greatestCommonDivisor } from './exact-arithmetic.ts';
import { turningPoints, valueAt } from './integer-polynomial.ts';

/** The points of a piece, its two end points included. Splines have two to four; more than this is work for nothing. */
export const MAX_POINTS_OF_PIECE = 10;

/**
 * The polynomial through the points (dlcspecs PayoutCurve.md, "Polynomial Evaluation"), outcomes ascending, from the first point's to
 * `to`, as monotone segments. It is kept as integer coefficients over one denominator, of the distance from the first point.
 */
export function polynomialSegments(points: readonly PayoutPoint[], to: bigint, ties: Ties = 'exact'): CurveSegment[] {
  const origin = points[0]!.eventOutcome;
  const whole = ties === 'double' && points.length === 2;
  const { coefficients, denominator } = interpolate(whole ? points.map(withoutExtra) : points, origin);
  const curve: ExactCurve = {
    countOf: (outcome, unit, rounding) => {
      const value = valueAt(coefficients, outcome - origin);
      const divisor = denominator * unit;
      const count = countScaled(value, divisor, rounding);
      if (ties === 'exact' || rounding === 'down' || !isNearTie(value, divisor)) return count;
      // Which side of the tie is theirs to say, and no more: large outcomes make doubles err by far.
      const inDoubles = countInDoubles(points, outcome, unit);
      const below = countScaled(value, divisor, 'down');
      return inDoubles === below || inDoubles === below + 1n ? inDoubles : count;
    },
  };
  const segments: CurveSegment[] = [];
  let from = origin;
  for (const turn of turningPoints(coefficients, 0n, to - origin)) {
    segments.push({ from, to: origin + turn, curve });
    from = origin + turn + 1n;
  }
  if (from <= to) segments.push({ from, to, curve });
  return segments;
}

const withoutExtra = (point: PayoutPoint): PayoutPoint => ({ ...point, extraPrecision: 0 });

/** Lagrange's sum with the denominators brought to one. Throws `contract_refused` where the outcomes do not strictly rise. */
function interpolate(points: readonly PayoutPoint[], origin: bigint): { coefficients: bigint[]; denominator: bigint } {
  const places = points.map((point) => point.eventOutcome - origin);
  if (places.some((place, i) => i > 0 && place <= places[i - 1]!)) {
    throw refusedCurve('the outcomes of a piece must strictly rise from its end point to the next', 'points');
  }
  const terms = points.map((point, i) => {
    let basis: bigint[] = [point.payoutSats * POINT_SCALE + BigInt(point.extraPrecision)];
    let below = 1n;
    for (const [j, place] of places.entries()) {
      if (j === i) continue;
      basis = timesRoot(basis, place);
      below *= places[i]! - place;
    }
    return below < 0n ? { basis: basis.map((coefficient) => -coefficient), below: -below } : { basis, below };
  });
  const common = terms.reduce((multiple, { below }) => (multiple / greatestCommonDivisor(multiple, below)) * below, 1n);
  const coefficients = points.map((_, power) =>
    terms.reduce((sum, { basis, below }) => sum + basis[power]! * (common / below), 0n),
  );
  const denominator = common * POINT_SCALE;
  const shared = coefficients.reduce(greatestCommonDivisor, denominator);
  while (coefficients.length > 1 && coefficients.at(-1) === 0n) coefficients.pop();
  return { coefficients: coefficients.map((coefficient) => coefficient / shared), denominator: denominator / shared };
}

/** The polynomial times (x - root). */
function timesRoot(polynomial: readonly bigint[], root: bigint): bigint[] {
  const product = [0n, ...polynomial];
  for (const [power, coefficient] of polynomial.entries()) product[power] = product[power]! - coefficient * root;
  return product;
}
