import { isOdd } from './compressed.ts';
import { ecc } from './ecc.ts';
import { reduced } from './scalars.ts';
import type { Secp256k1 } from './secp256k1.ts';

/** base·G + factor·point, compressed; null for the point at infinity. Scalars are public, below the order, `factor` not zero. */
export type BasePlusPoint = (
  base: Uint8Array,
  factor: Uint8Array,
  point: Uint8Array,
  curve?: Secp256k1,
) => Uint8Array | null;

/**
 * By one recovery of an ECDSA public key, which is r⁻¹(s·R − h·G): with R the point, r its x, s = factor·r and h = −base·r. Libraries
 * multiply both at once there, and saving is what this is for. The same as basePlusPointPlainly.
 */
export const basePlusPoint: BasePlusPoint = (base, factor, point, curve = ecc) => {
  const x = point.subarray(1, 33);
  // An x at or above the order, which nobody finds except on purpose, is no r.
  if (reduced(x) !== x || isZero(base)) return basePlusPointPlainly(base, factor, point, curve);
  const signature = new Uint8Array(64);
  signature.set(x);
  signature.set(curve.scalarMultiply(factor, x), 32);
  const hash = curve.privateNegate(curve.scalarMultiply(base, x));
  return curve.recover(hash, signature, isOdd(point) ? 1 : 0, true);
};

/** As it is written. */
export const basePlusPointPlainly: BasePlusPoint = (base, factor, point, curve = ecc) => {
  const product = curve.pointMultiply(point, factor, true);
  if (product === null || isZero(base)) return product;
  return curve.pointAddScalar(product, base, true);
};

const isZero = (scalar: Uint8Array): boolean => scalar.every((byte) => byte === 0);
