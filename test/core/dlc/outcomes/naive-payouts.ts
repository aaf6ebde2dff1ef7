/** Payouts as the specification writes them, one outcome at a time, in fractions; square roots to 60 decimals. */
import type { FixedPoint, NumericDescriptor, PayoutPoint } from '../../../../src/core/dlc/contract-info.ts';
import type { Hyperbola } from './hyperbolas.ts';

interface Fraction {
  readonly above: bigint;
  readonly below: bigint;
}

const fraction = (above: bigint, below = 1n): Fraction =>
  below < 0n ? { above: -above, below: -below } : { above, below };
const plus = (a: Fraction, b: Fraction) => fraction(a.above * b.below + b.above * a.below, a.below * b.below);
const times = (a: Fraction, b: Fraction) => fraction(a.above * b.above, a.below * b.below);
const over = (a: Fraction, b: Fraction) => fraction(a.above * b.below, a.below * b.above);
const negative = (a: Fraction) => fraction(-a.above, a.below);
const floorOf = ({ above, below }: Fraction) => (above < 0n ? -((-above + below - 1n) / below) : above / below);

const payoutOf = ({ payoutSats, extraPrecision }: PayoutPoint) =>
  fraction(payoutSats * 65_536n + BigInt(extraPrecision), 65_536n);

function lagrange(points: readonly PayoutPoint[], outcome: bigint): Fraction {
  return points.reduce((sum, one, i) => {
    const line = points.reduce(
      (product, other, j) =>
        i === j
          ? product
          : times(product, fraction(outcome - other.eventOutcome, one.eventOutcome - other.eventOutcome)),
      payoutOf(one),
    );
    return plus(sum, line);
  }, fraction(0n));
}

const DECIMALS = 10n ** 60n;

function rootOf({ above, below }: Fraction): Fraction {
  // Exact where the root is a fraction itself, as it is where halves occur.
  const whole = wholeRoot(above * below);
  if (whole * whole === above * below) return fraction(whole, below);
  return fraction(wholeRoot((above * DECIMALS * DECIMALS) / below), DECIMALS);
}

/** Digit by digit in base 2, as on paper. */
function wholeRoot(square: bigint): bigint {
  if (square < 0n) throw new RangeError('not defined');
  let root = 0n;
  for (let bit = 1n << BigInt(square.toString(2).length >> 1); bit > 0n; bit >>= 1n) {
    if ((root + bit) * (root + bit) <= square) root += bit;
  }
  return root;
}

const parameter = ({ negative: below, magnitude, fractionBits }: FixedPoint): Fraction =>
  fraction(below ? -magnitude : magnitude, 1n << BigInt(fractionBits));

/** y_1 or y_2 of PayoutCurve.md, "Hyperbola Evaluation", as they stand there. */
function hyperbolic(curve: Hyperbola, outcome: bigint): Fraction {
  const [a, b, c, d] = [curve.a, curve.b, curve.c, curve.d].map(parameter) as [Fraction, Fraction, Fraction, Fraction];
  const x = plus(fraction(outcome), negative(parameter(curve.translateOutcome)));
  const root = rootOf(plus(times(x, x), negative(times(fraction(4n), times(a, b)))));
  const sum = plus(x, curve.usePositivePiece ? root : negative(root));
  const first = over(times(c, sum), times(fraction(2n), a));
  const second = over(times(fraction(2n), times(a, d)), sum);
  return plus(plus(first, second), parameter(curve.translatePayout));
}

export function naivePayout(descriptor: NumericDescriptor, collateral: bigint, outcome: bigint): bigint {
  const { pieces, lastEndPoint } = descriptor.payoutFunction;
  const ends = [...pieces.map(({ endPoint }) => endPoint), lastEndPoint];
  // An end point belongs to the piece that ends there: curves of hyperbolas need not meet their end points.
  const at = Math.max(ends.findIndex(({ eventOutcome }) => eventOutcome >= outcome) - 1, 0);
  const piece = pieces[at]!;
  const value =
    piece.curve.kind === 'polynomial'
      ? lagrange([piece.endPoint, ...piece.curve.points, ends[at + 1]!], outcome)
      : hyperbolic(piece.curve, outcome);
  const modulus =
    descriptor.roundingIntervals.findLast(({ beginInterval }) => beginInterval <= outcome)?.roundingMod ?? 1n;
  const rest = plus(value, negative(fraction(modulus * floorOf(over(value, fraction(modulus))))));
  const down = floorOf(plus(value, negative(rest)));
  const rounded = 2n * rest.above >= modulus * rest.below ? down + modulus : down;
  return rounded < 0n ? 0n : rounded > collateral ? collateral : rounded;
}
