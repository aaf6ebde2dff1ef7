/** Many equations in one: random multiples of them are added up, and hold together only where each holds, but for one chance in 2^128. */
import { createHash, hash } from 'node:crypto';
import type { BasePlusPoint } from '../../keys/base-plus-point.ts';
import { CURVE_ORDER, scalarBytes } from '../../keys/scalars.ts';
import type { Secp256k1 } from '../../keys/secp256k1.ts';

/** point = base·G + factor·(a point that all have in common) */
export interface Equation {
  readonly point: Uint8Array;
  readonly base: bigint;
  readonly factor: bigint;
}

/** A cube root of 1 modulo the order: multiplying by it costs the curve nearly nothing. */
const LAMBDA = 0x5363ad4cc05c30e0a5261c028812645a122e22ea20816678df02967c1b23bd72n;

/**
 * Whether all hold; throws for what is no point. `seed` hashes everything that the equations are of, so that nobody can choose them by
 * the multiples. False says that one does not hold, or that it could not be told so.
 */
export function verifyBatch(
  equations: readonly Equation[],
  common: Uint8Array,
  seed: Uint8Array,
  ecc: Secp256k1,
  combine: BasePlusPoint,
): boolean {
  let [base, factor] = [0n, 0n];
  const points = equations.map((equation, at) => {
    const multiple = multipleOf(seed, at);
    base = (base + multiple * equation.base) % CURVE_ORDER;
    factor = (factor + multiple * equation.factor) % CURVE_ORDER;
    return ecc.pointMultiply(equation.point, scalarBytes(multiple), false);
  });
  if (factor === 0n || points.includes(null)) return false;
  const left = ecc.pointSum(points as Uint8Array[], true);
  const right = combine(scalarBytes(base), scalarBytes(factor), common, ecc);
  return left !== null && right !== null && Buffer.compare(left, right) === 0;
}

export function seedOf(parts: Iterable<Uint8Array>): Uint8Array {
  const all = createHash('sha256');
  for (const part of parts) all.update(part);
  return all.digest();
}

/** a + b·λ with a and b of 64 bits: 128 bits of choice, multiplied in the time of 64. */
function multipleOf(seed: Uint8Array, at: number): bigint {
  const bytes = Buffer.alloc(36);
  bytes.set(seed);
  bytes.writeUInt32BE(at, 32);
  const digest = hash('sha256', bytes, 'buffer');
  return (digest.readBigUInt64BE(0) + 1n + digest.readBigUInt64BE(8) * LAMBDA) % CURVE_ORDER;
}
