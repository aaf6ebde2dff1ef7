import { hash } from 'node:crypto';
import { ecc as defaultCurve } from '../../keys/ecc.ts';
import { inverted, reduced, scalarBytes, scalarOf } from '../../keys/scalars.ts';
import type { RandomBytes, Secp256k1 } from '../../keys/secp256k1.ts';
import { tagPrefix } from '../tagged-hash.ts';
import { proveEquality } from './dleq.ts';
import { serializeAdaptorSignature } from './serialization.ts';

export interface SigningTools {
  readonly randomBytes: RandomBytes;
  readonly ecc?: Secp256k1;
}

const NONCE_TAG = tagPrefix('Ashlar/adaptor/nonces');

/**
 * An ECDSA signature of a 32-byte hash, encrypted under a point: whoever learns the point's discrete logarithm decrypts it. 162 bytes.
 * dlcspecs ECDSA-adaptor.md, ecdsa_adaptor_encrypt. Throws for what is no private key, no point or no hash.
 */
export function encryptSign(
  messageHash: Uint8Array,
  privateKey: Uint8Array,
  encryptionPoint: Uint8Array,
  { randomBytes, ecc = defaultCurve }: SigningTools,
): Uint8Array {
  if (messageHash.length !== 32) throw new TypeError('Expected Hash');
  if (!ecc.isPrivate(privateKey)) throw new TypeError('Expected Private');
  const point = ecc.pointCompress(encryptionPoint, true);
  for (;;) {
    const made = attempt(reduced(messageHash), privateKey, point, { randomBytes, ecc });
    if (made !== null) return made;
  }
}

/** null where a number came out zero or above the order, as it does once in 2^127. */
function attempt(
  messageHash: Uint8Array,
  privateKey: Uint8Array,
  point: Uint8Array,
  tools: Required<SigningTools>,
): Uint8Array | null {
  const { ecc, randomBytes } = tools;
  const nonces = deriveNonces(messageHash, privateKey, point, randomBytes);
  const [k, proofNonce] = [nonces.subarray(0, 32), nonces.subarray(32)];
  const secrets = [nonces];
  try {
    if (!ecc.isPrivate(k) || !ecc.isPrivate(proofNonce)) return null;
    const nonce = ecc.pointFromScalar(k, true) as Uint8Array;
    const noncePoint = ecc.pointTimesSecret(point, k, randomBytes);
    const proof = proveEquality({ ofBase: nonce, base: point, ofPoint: noncePoint }, k, proofNonce, tools);

    const r = reduced(noncePoint.subarray(1));
    const rTimesKey = ecc.privateMultiply(privateKey, r, randomBytes);
    secrets.push(rTimesKey);
    const sum = ecc.privateAdd(rTimesKey, messageHash);
    const inverse = invertSecret(k, tools);
    if (sum !== null) secrets.push(sum);
    if (inverse !== null) secrets.push(inverse);
    if (proof === null || sum === null || inverse === null) return null;
    const scalar = ecc.privateMultiply(inverse, sum, randomBytes);
    return serializeAdaptorSignature({ noncePoint, nonce, scalar, ...proof });
  } finally {
    for (const secret of secrets) secret.fill(0);
  }
}

/** k and the proof's nonce: bound to key, message and point, and to fresh randomness. Without the last they are still safe to use. */
function deriveNonces(
  messageHash: Uint8Array,
  privateKey: Uint8Array,
  point: Uint8Array,
  randomBytes: RandomBytes,
): Uint8Array {
  const seed = Buffer.alloc(64 + 32 + 32 + 33 + 32);
  seed.set(NONCE_TAG);
  seed.set(privateKey, 64);
  const randomness = randomBytes(32);
  seed.set(randomness, 96);
  seed.set(point, 128);
  seed.set(messageHash, 161);
  const nonces = hash('sha512', seed, 'buffer');
  seed.fill(0);
  randomness.fill(0);
  return nonces;
}

/** (k·b)⁻¹·b with a random b: what is inverted in the time that it takes is a random number. */
function invertSecret(k: Uint8Array, { ecc, randomBytes }: Required<SigningTools>): Uint8Array | null {
  const blind = randomBytes(32);
  if (!ecc.isPrivate(blind)) return null;
  const blinded = ecc.privateMultiply(k, blind, randomBytes);
  const inverse = scalarBytes(inverted(scalarOf(blinded)));
  const unblinded = ecc.privateMultiply(blind, inverse, randomBytes);
  blind.fill(0);
  blinded.fill(0);
  inverse.fill(0);
  return unblinded;
}
