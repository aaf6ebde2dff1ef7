import type { FixedPoint, PayoutCurvePiece } from '../contract-info.ts';
import { type CurveSegment, countScaled, type ExactCurve, refusedCurve } from './curve-segment.ts';
import { floorDivide, floorOfRoot, squareRoot } from './exact-arithmetic.ts';

type Hyperbola = Extract<PayoutCurvePiece, { readonly kind: 'hyperbola' }>;

/** Bits of a parameter, and of its fraction: dlcspecs' 64 and 16, and any double between 2^-76 and 2^128 or so. */
const MAX_BITS = 192;
const MAX_FRACTION_BITS = 128;

/**
 * A hyperbola (dlcspecs PayoutCurve.md, "Hyperbola Curve Piece") between two outcomes, both included, as monotone segments.
 *
 * With u = x - f1 and s = sqrt(u^2 - 4ab), dlcspecs' two fractions have conjugate denominators, (u + s)(u - s) = 4ab, so that
 * y = (c/2a + d/2b) u ± (c/2a - d/2b) s + f2, which has one square root and is floored exactly; for b = 0, y = cu/a + ad/u + f2.
 * It turns only where u^2 = (ad + bc)^2 / cd. Throws `contract_refused` where it is not defined at every outcome.
 */
export function hyperbolaSegments(piece: Hyperbola, from: bigint, to: bigint): CurveSegment[] {
  const [f1, f2, a, b, c, d, scale] = integersOf(piece);
  if (a === 0n) throw refusedCurve('a must not be 0: the hyperbola is not defined', 'a');
  if (a * d === b * c) throw refusedCurve('a*d must not be b*c: that is a line, not a hyperbola', 'd');
  const distance = (outcome: bigint): bigint => outcome * scale - f1;
  // The outcomes next to f1, or the nearest to them that there are.
  const nearest = [floorDivide(f1, scale), floorDivide(f1, scale) + 1n].map((x) => (x < from ? from : x > to ? to : x));
  const undefinedAt = nearest.find((outcome) => {
    const u = distance(outcome);
    return b === 0n ? (piece.usePositivePiece ? u <= 0n : u >= 0n) : u * u < 4n * a * b;
  });
  if (undefinedAt !== undefined) {
    throw refusedCurve(`the hyperbola is not defined at outcome ${undefinedAt}`, 'translate_outcome');
  }
  // Where the derivative is 0, at both signs; and where the branches of a curve that is not defined in between change over.
  const turns = [floorDivide(f1, scale)];
  if (c * d > 0n) {
    const far = squareRoot(((a * d + b * c) * (a * d + b * c)) / (c * d));
    for (const u of [far, -far - 1n, -far]) turns.push(floorDivide(f1 + u, scale));
  }
  return split(
    b === 0n ? reciprocal(distance, f2, a, c, d, scale) : rooted(piece, distance, f2, a, b, c, d, scale),
    from,
    to,
    turns,
  );
}

/** y scale = cu/a + ad/u + f2, of u and parameters times scale. */
function reciprocal(
  distance: (outcome: bigint) => bigint,
  f2: bigint,
  a: bigint,
  c: bigint,
  d: bigint,
  scale: bigint,
): ExactCurve {
  return {
    countOf: (outcome, unit, rounding) => {
      const u = distance(outcome);
      const below = a * u;
      const above = c * u * u + a * a * d + f2 * below;
      return below < 0n
        ? countScaled(-above, -below * scale * unit, rounding)
        : countScaled(above, below * scale * unit, rounding);
    },
  };
}

/** y scale = ((bc + ad) u ± (bc - ad) s + 2ab f2) / 2ab, of u, s and parameters times scale. */
function rooted(
  { usePositivePiece }: Hyperbola,
  distance: (outcome: bigint) => bigint,
  f2: bigint,
  a: bigint,
  b: bigint,
  c: bigint,
  d: bigint,
  scale: bigint,
): ExactCurve {
  const side = a * b < 0n ? -1n : 1n;
  const slope = side * (b * c + a * d);
  const factor = side * (usePositivePiece ? b * c - a * d : a * d - b * c);
  const below = side * 2n * a * b;
  return {
    countOf: (outcome, unit, rounding) => {
      const u = distance(outcome);
      const divisor = below * scale * unit;
      const whole = slope * u + below * f2;
      const square = factor * factor * (u * u - 4n * a * b);
      const sign = factor < 0n ? -1n : 1n;
      // To the nearest, halves up, is the floor after adding a half: everything twice, one divisor added.
      return rounding === 'down'
        ? floorOfRoot(whole, sign, square, divisor)
        : floorOfRoot(2n * whole + divisor, sign, 4n * square, 2n * divisor);
    },
  };
}

function split(curve: ExactCurve, from: bigint, to: bigint, turns: readonly bigint[]): CurveSegment[] {
  const segments: CurveSegment[] = [];
  let start = from;
  for (const end of [...turns.filter((turn) => turn >= from && turn < to), to].sort((x, y) =>
    x < y ? -1 : x > y ? 1 : 0,
  )) {
    if (end < start) continue;
    segments.push({ from: start, to: end, curve });
    start = end + 1n;
  }
  return segments;
}

/** f1, f2, a, b, c and d times one power of two, that power last. */
function integersOf(piece: Hyperbola): [bigint, bigint, bigint, bigint, bigint, bigint, bigint] {
  const reduced = {
    translate_outcome: reduce(piece.translateOutcome),
    translate_payout: reduce(piece.translatePayout),
    a: reduce(piece.a),
    b: reduce(piece.b),
    c: reduce(piece.c),
    d: reduce(piece.d),
  };
  for (const [field, { value, fractionBits }] of Object.entries(reduced)) {
    if (fractionBits > MAX_FRACTION_BITS || (value < 0n ? -value : value) >> BigInt(MAX_BITS) !== 0n) {
      throw refusedCurve(
        `${field} must have at most ${MAX_BITS} bits, ${MAX_FRACTION_BITS} of them behind the point`,
        field,
      );
    }
  }
  const bits = Math.max(...Object.values(reduced).map(({ fractionBits }) => fractionBits));
  const scaled = ({ value, fractionBits }: { value: bigint; fractionBits: number }): bigint =>
    value << BigInt(bits - fractionBits);
  const { translate_outcome, translate_payout, a, b, c, d } = reduced;
  return [
    scaled(translate_outcome),
    scaled(translate_payout),
    scaled(a),
    scaled(b),
    scaled(c),
    scaled(d),
    1n << BigInt(bits),
  ];
}

/** Without trailing zeros in the fraction. */
function reduce({ negative, magnitude, fractionBits }: FixedPoint): { value: bigint; fractionBits: number } {
  if (magnitude === 0n) return { value: 0n, fractionBits: 0 };
  const spare = Math.min((magnitude & -magnitude).toString(2).length - 1, fractionBits);
  const value = magnitude >> BigInt(spare);
  return { value: negative ? -value : value, fractionBits: fractionBits - spare };
}
