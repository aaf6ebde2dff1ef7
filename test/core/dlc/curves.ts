/** The implementations of the curve that load here, and random scalars of fast-check for them. */
import fc from 'fast-check';
import { createSecp256k1, nativeSecp256k1Loads } from '../../../src/core/keys/create-secp256k1.ts';
import { CURVE_ORDER, scalarBytes } from '../../../src/core/keys/scalars.ts';
import type { Secp256k1 } from '../../../src/core/keys/secp256k1.ts';

export const CURVES: readonly (readonly [string, Secp256k1])[] = [
  ...(nativeSecp256k1Loads ? [['native', createSecp256k1({ implementation: 'native' })] as const] : []),
  ['wasm', createSecp256k1({ implementation: 'wasm' })] as const,
];

export const arbitraryScalar: fc.Arbitrary<Uint8Array> = fc
  .oneof(
    { weight: 1, arbitrary: fc.bigInt(1n, 3n) },
    { weight: 1, arbitrary: fc.bigInt(CURVE_ORDER - 3n, CURVE_ORDER - 1n) },
    { weight: 6, arbitrary: fc.bigInt(1n, CURVE_ORDER - 1n) },
  )
  .map(scalarBytes);

export const arbitraryHash: fc.Arbitrary<Uint8Array> = fc.uint8Array({ minLength: 32, maxLength: 32 });
