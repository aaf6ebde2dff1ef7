import { DomainError } from '../../errors.ts';
import type { PayoutFunction, PayoutPoint } from '../contract-info.ts';
import { type CurveSegment, constantCurve, POINT_SCALE, refusedCurve } from './curve-segment.ts';
import { hyperbolaSegments } from './hyperbola-curve.ts';
import { MAX_POINTS_OF_PIECE, polynomialSegments } from './polynomial-curve.ts';

export const MAX_PIECES = 10_000;
/** Preparing a polynomial grows with the cube of its points; so many cubes for one function: thousands of cubic pieces. */
const MAX_CUBES = 300_000;

/**
 * The offerer's payout over the whole domain as monotone segments, ascending, each outcome in exactly one (dlcspecs PayoutCurve.md,
 * "General Function Evaluation": at an end point its payout, else the piece between). Not rounded, not clamped. Throws
 * `contract_refused` naming the piece.
 */
export function curveSegments({ pieces, lastEndPoint }: PayoutFunction): CurveSegment[] {
  checkEffort(pieces.map(({ curve }) => (curve.kind === 'polynomial' ? curve.points.length + 2 : 2)));
  const segments: CurveSegment[] = [];
  for (const [i, { endPoint, curve }] of pieces.entries()) {
    const next = pieces[i + 1]?.endPoint ?? lastEndPoint;
    if (next.eventOutcome <= endPoint.eventOutcome) {
      const field =
        i + 1 < pieces.length
          ? `descriptor.payout_function.pieces[${i + 1}].end_point`
          : 'descriptor.payout_function.last_end_point';
      throw refusedCurve('the outcomes of the end points must strictly rise', field);
    }
    try {
      if (curve.kind === 'polynomial') {
        const points = [endPoint, ...curve.points, next];
        for (const segment of polynomialSegments(points, next.eventOutcome - 1n)) segments.push(segment);
      } else {
        segments.push(pointSegment(endPoint));
        // Defined at its ends, too, where the end points say what is paid: dlcspecs asks for it, and others evaluate it there.
        for (const { from, to, curve: branch } of hyperbolaSegments(curve, endPoint.eventOutcome, next.eventOutcome)) {
          const [first, last] = [max(from, endPoint.eventOutcome + 1n), min(to, next.eventOutcome - 1n)];
          if (first <= last) segments.push({ from: first, to: last, curve: branch });
        }
      }
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      throw error.at(`descriptor.payout_function.pieces[${i}].curve.${error.details.field}`);
    }
  }
  segments.push(pointSegment(lastEndPoint));
  return segments;
}

/** In 65536ths of a satoshi, as points have it. */
export const scaledPayout = ({ payoutSats, extraPrecision }: PayoutPoint): bigint =>
  payoutSats * POINT_SCALE + BigInt(extraPrecision);

const pointSegment = (point: PayoutPoint): CurveSegment => ({
  from: point.eventOutcome,
  to: point.eventOutcome,
  curve: constantCurve(scaledPayout(point)),
});

function checkEffort(pointCounts: readonly number[]): void {
  const pieces = 'descriptor.payout_function.pieces';
  if (pointCounts.length === 0) throw refusedCurve('a payout function has at least one piece', pieces);
  if (pointCounts.length > MAX_PIECES) {
    throw refusedCurve(`a payout function may have ${MAX_PIECES} pieces here, not ${pointCounts.length}`, pieces);
  }
  const crowded = pointCounts.findIndex((count) => count > MAX_POINTS_OF_PIECE);
  if (crowded >= 0) {
    throw refusedCurve(
      `a polynomial piece may have ${MAX_POINTS_OF_PIECE - 2} points between its end points here; split it`,
      `${pieces}[${crowded}].curve.points`,
    );
  }
  if (pointCounts.reduce((sum, count) => sum + count ** 3, 0) > MAX_CUBES) {
    throw refusedCurve('the payout function has too many pieces with many points; use fewer, or lines', pieces);
  }
}

const max = (a: bigint, b: bigint): bigint => (a > b ? a : b);
const min = (a: bigint, b: bigint): bigint => (a < b ? a : b);
