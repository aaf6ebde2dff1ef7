import { tapTweakHash } from '../taproot/leaf-hash.ts';
import type { Secp256k1 } from './secp256k1.ts';

/**
 * BIP341's taproot_tweak_seckey: the private key of the output key. `merkleRoot` null as in BIP86. The caller overwrites what it gets.
 * Throws RangeError where the tweak takes the key out of the group, which nobody will ever see.
 */
export function tweakedPrivateKey(ecc: Secp256k1, privateKey: Uint8Array, merkleRoot: Uint8Array | null): Uint8Array {
  const point = ecc.pointFromScalar(privateKey, true) as Uint8Array;
  const tweak = tapTweakHash(point.subarray(1), merkleRoot);
  const even = point[0] === 2 ? privateKey : ecc.privateNegate(privateKey);
  try {
    const tweaked = ecc.privateAdd(even, tweak);
    if (!tweaked) throw new RangeError('the tweak has no key');
    return tweaked;
  } finally {
    if (even !== privateKey) even.fill(0);
  }
}

/** The output key of an internal key (x-only); null where the internal key is no point. */
export function tweakedPublicKey(
  ecc: Secp256k1,
  internalKey: Uint8Array,
  merkleRoot: Uint8Array | null,
): { readonly parity: 0 | 1; readonly xOnlyPubkey: Uint8Array } | null {
  if (!ecc.isXOnlyPoint(internalKey)) return null;
  return ecc.xOnlyPointAddTweak(internalKey, tapTweakHash(internalKey, merkleRoot));
}
