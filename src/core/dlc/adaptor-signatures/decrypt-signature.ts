import { ecc } from '../../keys/ecc.ts';
import { CURVE_ORDER, inverted, isScalar, reduced, scalarBytes, scalarOf } from '../../keys/scalars.ts';
import { parseAdaptorSignature } from './serialization.ts';

/**
 * The ECDSA signature, compact (r, s), with low s (dlcspecs ECDSA-adaptor.md, ecdsa_adaptor_decrypt). Valid where the adaptor signature
 * was and the key is its point's. The key is an oracle's attestation and thus public. Throws TypeError for what is malformed.
 */
export function decryptSignature(adaptorSignature: Uint8Array, decryptionKey: Uint8Array): Uint8Array {
  const parsed = parseAdaptorSignature(adaptorSignature);
  if (parsed === null) throw new TypeError('Expected Adaptor Signature');
  if (decryptionKey.length !== 32 || !isScalar(scalarOf(decryptionKey))) throw new TypeError('Expected Private');
  const s = (scalarOf(parsed.scalar) * inverted(scalarOf(decryptionKey))) % CURVE_ORDER;
  const signature = new Uint8Array(64);
  signature.set(reduced(parsed.noncePoint.subarray(1)));
  signature.set(scalarBytes(s > CURVE_ORDER / 2n ? CURVE_ORDER - s : s), 32);
  return signature;
}

/**
 * What an adaptor signature was decrypted with, from what came out (compact, low s or high); null where they do not belong together
 * (dlcspecs ECDSA-adaptor.md, ecdsa_adaptor_recover). 32 bytes.
 */
export function recoverDecryptionKey(
  adaptorSignature: Uint8Array,
  signature: Uint8Array,
  encryptionPoint: Uint8Array,
): Uint8Array | null {
  const parsed = parseAdaptorSignature(adaptorSignature);
  if (parsed === null || signature.length !== 64) return null;
  const r = reduced(parsed.noncePoint.subarray(1));
  const s = scalarOf(signature.subarray(32));
  if (Buffer.compare(r, signature.subarray(0, 32)) !== 0 || !isScalar(s)) return null;
  const key = scalarBytes((inverted(s) * scalarOf(parsed.scalar)) % CURVE_ORDER);
  const implied = ecc.pointFromScalar(key, true) as Uint8Array;
  const wanted = ecc.pointCompress(encryptionPoint, true);
  if (Buffer.compare(implied.subarray(1), wanted.subarray(1)) !== 0) return null;
  return implied[0] === wanted[0] ? key : ecc.privateNegate(key);
}
