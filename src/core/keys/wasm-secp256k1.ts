import { hash } from 'node:crypto';
import * as wasm from 'tiny-secp256k1';
import { multiplied } from './scalars.ts';
import type { RandomBytes, Secp256k1Primitives } from './secp256k1.ts';

/**
 * tiny-secp256k1, and what it lacks for secret scalars: no multiplication of points whose time is constant, none of scalars at all. There
 * the secret is cut into two random summands, each of which by itself is independent of it, and each is worked on alone. What one
 * multiplication gives away by its time is about a random number that is used once; who sees both multiplications of one secret
 * finely enough may learn from them. Where that matters, the native addon is wanted.
 */
export function wasmSecp256k1(): Secp256k1Primitives {
  return {
    implementation: 'wasm',
    isPrivate: wasm.isPrivate,
    isPoint: wasm.isPoint,
    isXOnlyPoint: wasm.isXOnlyPoint,
    pointFromScalar: wasm.pointFromScalar,
    pointAddScalar: wasm.pointAddScalar,
    pointCompress: wasm.pointCompress,
    pointMultiply: wasm.pointMultiply,
    pointSum: ([first, ...others], compressed = true) => {
      let sum: Uint8Array | null = wasm.pointCompress(first as Uint8Array, compressed);
      // The point at infinity may come between: what is added to it stands for itself.
      for (const point of others)
        sum = sum === null ? wasm.pointCompress(point, compressed) : wasm.pointAdd(sum, point);
      return sum;
    },
    pointTimesSecret(point, scalar, randomBytes) {
      const [one, other] = shares(scalar, randomBytes);
      try {
        return wasm.pointAdd(times(point, one), times(point, other)) as Uint8Array;
      } finally {
        one.fill(0);
        other.fill(0);
      }
    },
    xOnlyPointFromScalar: wasm.xOnlyPointFromScalar,
    xOnlyPointAddTweak: wasm.xOnlyPointAddTweak,
    privateAdd: wasm.privateAdd,
    privateSub: wasm.privateSub,
    privateNegate: wasm.privateNegate,
    privateMultiply(scalar, factor, randomBytes) {
      const [one, other] = shares(scalar, randomBytes);
      const products = [multiplied(one, factor), multiplied(other, factor)] as const;
      try {
        return wasm.privateAdd(...products) as Uint8Array;
      } finally {
        for (const secret of [one, other, ...products]) secret.fill(0);
      }
    },
    scalarMultiply: multiplied,
    sign: wasm.sign,
    verify: wasm.verify,
    recover: wasm.recover,
    signSchnorr: wasm.signSchnorr,
    verifySchnorr: wasm.verifySchnorr,
  };
}

const times = (point: Uint8Array, scalar: Uint8Array): Uint8Array =>
  wasm.pointMultiply(point, scalar, true) as Uint8Array;

/** Two scalars whose sum is the secret one; the first is random to all who do not know the secret, whatever the randomness is worth. */
function shares(scalar: Uint8Array, randomBytes: RandomBytes): readonly [Uint8Array, Uint8Array] {
  const seed = Buffer.alloc(64);
  seed.set(scalar);
  seed.set(randomBytes(32), 32);
  const one = hash('sha256', seed, 'buffer');
  seed.fill(0);
  const other = wasm.isPrivate(one) ? wasm.privateSub(scalar, one) : null;
  // Once in 2^127.
  if (other === null) throw new RangeError('the scalar has no such shares');
  return [one, other];
}
