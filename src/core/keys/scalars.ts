/**
 * Integers modulo the order of secp256k1, as 32 bytes big-endian. With bigint, whose time depends on the values: for public scalars, and
 * for such as were multiplied with or split by a random one before.
 */
import { hex } from '../bytes.ts';

export const CURVE_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

export const scalarOf = (bytes: Uint8Array): bigint => BigInt(`0x${hex(bytes)}`);

export const scalarBytes = (value: bigint): Uint8Array =>
  Uint8Array.from(Buffer.from(value.toString(16).padStart(64, '0'), 'hex'));

/** Whether it is between 1 and the order. */
export const isScalar = (value: bigint): boolean => value > 0n && value < CURVE_ORDER;

/** The same of 32 bytes. */
export function isScalarBytes(bytes: Uint8Array): boolean {
  if (bytes.length !== 32) return false;
  return bytes[0] === 0xff ? scalarOf(bytes) < CURVE_ORDER : bytes.some((byte) => byte !== 0);
}

/** 32 bytes as they come, modulo the order (a hash, an x coordinate). The same array where it is below the order. */
export function reduced(bytes: Uint8Array): Uint8Array {
  // Below fffffffffffffffffffffffffffffffe... nothing is to be done, and one byte tells nearly always.
  if (bytes[0] !== 0xff) return bytes;
  const value = scalarOf(bytes);
  return value < CURVE_ORDER ? bytes : scalarBytes(value - CURVE_ORDER);
}

export const multiplied = (one: Uint8Array, other: Uint8Array): Uint8Array =>
  scalarBytes((scalarOf(one) * scalarOf(other)) % CURVE_ORDER);

/** The numbers by which these give 1. One inversion for all of them (Montgomery); none may be zero. */
export function inverses(values: readonly bigint[]): bigint[] {
  const products: bigint[] = [];
  let product = 1n;
  for (const value of values) {
    products.push(product);
    product = (product * value) % CURVE_ORDER;
  }
  let inverse = inverted(product);
  const all: bigint[] = new Array(values.length);
  for (let at = values.length - 1; at >= 0; at--) {
    all[at] = (inverse * (products[at] as bigint)) % CURVE_ORDER;
    inverse = (inverse * (values[at] as bigint)) % CURVE_ORDER;
  }
  return all;
}

/** Euclid's algorithm. Throws RangeError for zero. */
export function inverted(value: bigint): bigint {
  let [previous, rest] = [CURVE_ORDER, value % CURVE_ORDER];
  let [before, factor] = [0n, 1n];
  if (rest === 0n) throw new RangeError('zero has no inverse');
  while (rest !== 0n) {
    const quotient = previous / rest;
    [previous, rest] = [rest, previous - quotient * rest];
    [before, factor] = [factor, before - quotient * factor];
  }
  return before < 0n ? before + CURVE_ORDER : before;
}
