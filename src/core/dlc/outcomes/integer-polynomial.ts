/** Polynomials with integer coefficients at integer places: where they rise and where they fall, without rounding. */

/** Constant term first; never empty. */
export type IntegerPolynomial = readonly bigint[];

export function valueAt(polynomial: IntegerPolynomial, place: bigint): bigint {
  let value = 0n;
  for (let i = polynomial.length - 1; i >= 0; i--) value = value * place + polynomial[i]!;
  return value;
}

/** The polynomial of differences: p(x + 1) - p(x). */
function differences(polynomial: IntegerPolynomial): IntegerPolynomial {
  const result: bigint[] = new Array<bigint>(Math.max(polynomial.length - 1, 1)).fill(0n);
  for (let power = 1; power < polynomial.length; power++) {
    // (x + 1)^power without its leading term: the binomial coefficients.
    let binomial = 1n;
    for (let low = 0; low < power; low++) {
      result[low] = result[low]! + polynomial[power]! * binomial;
      binomial = (binomial * BigInt(power - low)) / BigInt(low + 1);
    }
  }
  return result;
}

/** Places t of from..to-1 where the polynomial is negative at t and not at t + 1, or the other way round; ascending. */
function signChanges(polynomial: IntegerPolynomial, from: bigint, to: bigint): bigint[] {
  if (polynomial.length === 1 || from >= to) return [];
  const changes: bigint[] = [];
  let start = from;
  for (const turn of [...turningPoints(polynomial, from, to), to]) {
    const negative = valueAt(polynomial, start) < 0n;
    if (valueAt(polynomial, turn) < 0n !== negative) {
      let [low, high] = [start, turn];
      while (high - low > 1n) {
        const middle = (low + high) >> 1n;
        if (valueAt(polynomial, middle) < 0n === negative) low = middle;
        else high = middle;
      }
      changes.push(low);
    }
    start = turn;
  }
  return changes;
}

/** Places between from and to such that the polynomial's values at the integers are monotone from each to the next; ascending. */
export function turningPoints(polynomial: IntegerPolynomial, from: bigint, to: bigint): bigint[] {
  if (polynomial.length <= 2) return [];
  return signChanges(differences(polynomial), from, to - 1n).map((place) => place + 1n);
}
