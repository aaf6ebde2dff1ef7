import { DomainError } from '../../errors.ts';
import type { PayoutFunction, PayoutPoint } from '../contract-info.ts';
import { type CurveSegment, POINT_SCALE, refusedCurve, type Ties } from './curve-segment.ts';
import { hyperbolaSegments } from './hyperbola-curve.ts';
import { MAX_POINTS_OF_PIECE, polynomialSegments } from './polynomial-curve.ts';

const MAX_PIECES = 10_000;
/** Preparing a polynomial grows with the cube of its points; so many cubes for one function: thousands of cubic pieces. */
const MAX_CUBES = 300_000;

/**
 * The offerer's payout over the whole domain as monotone segments, ascending, each outcome in exactly one (dlcspecs PayoutCurve.md,
 * "General Function Evaluation"). An end point belongs to the piece that ends there, the first to the first piece: a polynomial pays there
 * what the end point says, a hyperbola what the curve says, as dlcspecs' vectors, rust-dlc and dlcdevkit have it against the text. Not
 * rounded, not clamped. Throws `contract_refused` naming the piece.
 */
export function curveSegments(payoutFunction: PayoutFunction, ties: Ties = 'exact'): CurveSegment[] {
  const { pieces, lastEndPoint } = payoutFunction;
  checkPieces(payoutFunction);
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
      const segmentsOfPiece =
        curve.kind === 'polynomial'
          ? polynomialSegments([endPoint, ...curve.points, next], next.eventOutcome, ties)
          : hyperbolaSegments(curve, endPoint.eventOutcome, next.eventOutcome);
      const first = i === 0 ? endPoint.eventOutcome : endPoint.eventOutcome + 1n;
      for (const { from, to, curve: branch } of segmentsOfPiece) {
        if (to >= first) segments.push({ from: max(from, first), to, curve: branch });
      }
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      throw error.at(`descriptor.payout_function.pieces[${i}].curve.${error.details.field}`);
    }
  }
  return segments;
}

/** In 65536ths of a satoshi, as points have it. */
export const scaledPayout = ({ payoutSats, extraPrecision }: PayoutPoint): bigint =>
  payoutSats * POINT_SCALE + BigInt(extraPrecision);

/** What preparing a function takes, that of several added up; throws `contract_refused` beyond what is done here for one contract. */
export function checkEffort(functions: readonly PayoutFunction[], field: string): void {
  const pieces = functions.flatMap((one) => one.pieces);
  if (pieces.length > MAX_PIECES) {
    throw refusedCurve(`there may be ${MAX_PIECES} pieces here, not ${pieces.length}`, field);
  }
  const cubes = pieces.reduce(
    (sum, { curve }) => sum + (curve.kind === 'polynomial' ? curve.points.length + 2 : 2) ** 3,
    0,
  );
  if (cubes > MAX_CUBES) throw refusedCurve('there are too many pieces with many points; use fewer, or lines', field);
}

function checkPieces(payoutFunction: PayoutFunction): void {
  const field = 'descriptor.payout_function.pieces';
  const { pieces } = payoutFunction;
  if (pieces.length === 0) throw refusedCurve('a payout function has at least one piece', field);
  const crowded = pieces.findIndex(
    ({ curve }) => curve.kind === 'polynomial' && curve.points.length + 2 > MAX_POINTS_OF_PIECE,
  );
  if (crowded >= 0) {
    throw refusedCurve(
      `a polynomial piece may have ${MAX_POINTS_OF_PIECE - 2} points between its end points here; split it`,
      `${field}[${crowded}].curve.points`,
    );
  }
  checkEffort([payoutFunction], field);
}

const max = (a: bigint, b: bigint): bigint => (a > b ? a : b);
