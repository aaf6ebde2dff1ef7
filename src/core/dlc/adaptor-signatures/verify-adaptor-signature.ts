import { type BasePlusPoint, basePlusPoint } from '../../keys/base-plus-point.ts';
import { ecc } from '../../keys/ecc.ts';
import { inverted, multiplied, reduced, scalarBytes, scalarOf } from '../../keys/scalars.ts';
import type { Secp256k1 } from '../../keys/secp256k1.ts';
import { verifyEquality } from './dleq.ts';
import { parseAdaptorSignature } from './serialization.ts';

/**
 * Whether decrypting `signature` with the discrete logarithm of `encryptionPoint` gives a signature of the hash by the public key
 * (dlcspecs ECDSA-adaptor.md, ecdsa_adaptor_verify). Points are compressed or not. False for anything malformed.
 */
export function verifyAdaptorSignature(
  signature: Uint8Array,
  messageHash: Uint8Array,
  publicKey: Uint8Array,
  encryptionPoint: Uint8Array,
  curve: Secp256k1 = ecc,
  combine: BasePlusPoint = basePlusPoint,
): boolean {
  const parsed = parseAdaptorSignature(signature);
  if (parsed === null || messageHash.length !== 32) return false;
  const { noncePoint, nonce, scalar } = parsed;
  try {
    const base = curve.pointCompress(encryptionPoint, true);
    if (!verifyEquality({ ofBase: nonce, base, ofPoint: noncePoint }, parsed, curve, combine)) return false;
    const inverse = scalarBytes(inverted(scalarOf(scalar)));
    const r = reduced(noncePoint.subarray(1));
    const implied = combine(
      multiplied(reduced(messageHash), inverse),
      curve.scalarMultiply(r, inverse),
      publicKey,
      curve,
    );
    return implied !== null && Buffer.compare(implied, nonce) === 0;
  } catch {
    return false;
  }
}
