/** Integer arithmetic that payout curves are evaluated with: nothing is ever rounded but where it is said. */

/** Rounds down, for negative dividends too. The divisor must be positive. */
export function floorDivide(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  return dividend < 0n && quotient * divisor !== dividend ? quotient - 1n : quotient;
}

/** The largest integer whose square is at most `value` (not negative). */
export function squareRoot(value: bigint): bigint {
  if (value < 0n) throw new RangeError('there is no square root of a negative number');
  if (value < 1n << 52n) return BigInt(Math.floor(Math.sqrt(Number(value))));
  // From the leading hundred bits a guess that is never too small; Newton's steps then only go down, and stop at the root.
  const shift = BigInt(Math.max(value.toString(16).length * 4 - 100, 0));
  let root = (BigInt(Math.ceil(Math.sqrt(Number(value >> shift)))) + 2n) << (shift / 2n);
  for (;;) {
    const next = (root + value / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}

/** floor((whole + sign * sqrt(square)) / divisor), exact; the divisor must be positive. */
export function floorOfRoot(whole: bigint, sign: 1n | -1n, square: bigint, divisor: bigint): bigint {
  const root = squareRoot(square);
  // Minus an irrational root lies below minus its floor by less than one: floor(-sqrt) is minus the root rounded up.
  const floored = sign > 0n ? root : root * root === square ? -root : -root - 1n;
  return floorDivide(whole + floored, divisor);
}

export function greatestCommonDivisor(one: bigint, other: bigint): bigint {
  let [a, b] = [one < 0n ? -one : one, other < 0n ? -other : other];
  while (b !== 0n) [a, b] = [b, a % b];
  return a;
}
