import { hash } from 'node:crypto';
import { tagPrefix } from '../../hashes.ts';
import { compressed } from '../../keys/compressed.ts';
import { ecc as defaultCurve } from '../../keys/ecc.ts';
import { inverses, reduced, scalarBytes, scalarOf } from '../../keys/scalars.ts';
import type { RandomBytes, Secp256k1 } from '../../keys/secp256k1.ts';
import { proveEquality } from './dleq.ts';
import { ADAPTOR_SIGNATURE_BYTES, type AdaptorSignature, writeAdaptorSignature } from './serialization.ts';

export interface AdaptorTools {
  readonly randomBytes: RandomBytes;
  readonly ecc?: Secp256k1;
}

/** What is signed, 32 bytes, and the point under which the signature is encrypted, compressed or not. */
export interface ToEncryptSign {
  readonly messageHash: Uint8Array;
  readonly encryptionPoint: Uint8Array;
}

type Tools = Required<AdaptorTools>;

const NONCE_TAG = tagPrefix('Ashlar/adaptor/nonces');

/**
 * An ECDSA signature of a 32-byte hash, encrypted under a point: whoever learns the point's discrete logarithm decrypts it. 162 bytes.
 * dlcspecs ECDSA-adaptor.md, ecdsa_adaptor_encrypt. Throws TypeError for what is no private key, no point or no hash.
 */
export const encryptSign = (
  messageHash: Uint8Array,
  privateKey: Uint8Array,
  encryptionPoint: Uint8Array,
  tools: AdaptorTools,
): Uint8Array => encryptSignAll([{ messageHash, encryptionPoint }], privateKey, tools);

/** The same of several, one after the other: what is inverted for each is inverted for all at once. */
export function encryptSignAll(
  items: readonly ToEncryptSign[],
  privateKey: Uint8Array,
  { randomBytes, ecc = defaultCurve }: AdaptorTools,
): Uint8Array {
  if (!ecc.isPrivate(privateKey)) throw new TypeError('Expected Private');
  const tools = { randomBytes, ecc };
  const begun: Begun[] = [];
  try {
    for (const item of items) begun.push(begin(item, privateKey, tools));
    const inverted = inverses(begun.map(({ blinded }) => scalarOf(blinded)));
    const signatures = new Uint8Array(items.length * ADAPTOR_SIGNATURE_BYTES);
    for (const [at, one] of begun.entries()) {
      writeAdaptorSignature(finish(one, inverted[at] as bigint, tools), signatures, at * ADAPTOR_SIGNATURE_BYTES);
    }
    return signatures;
  } finally {
    for (const { blind, blinded, sum } of begun) for (const secret of [blind, blinded, sum]) secret.fill(0);
  }
}

/** All of a signature but s_a = k⁻¹ · (m + r·x). */
interface Begun extends Omit<AdaptorSignature, 'scalar'> {
  /** A random b, and k·b: this is what is inverted, in a time that depends on it. It says nothing of k. */
  readonly blind: Uint8Array;
  readonly blinded: Uint8Array;
  /** m + r·x */
  readonly sum: Uint8Array;
}

function begin(item: ToEncryptSign, privateKey: Uint8Array, tools: Tools): Begun {
  if (item.messageHash.length !== 32) throw new TypeError('Expected Hash');
  const messageHash = reduced(item.messageHash);
  // Multiplied twice: finding its y once is enough.
  const point = tools.ecc.pointCompress(item.encryptionPoint, false);
  const { ecc, randomBytes } = tools;
  const randomness = randomBytes(64);
  // A copy, also of a Buffer, whose slice is none.
  const blind = Uint8Array.from(randomness.subarray(32));
  const nonces = deriveNonces(messageHash, privateKey, point, randomness.subarray(0, 32));
  randomness.fill(0);
  const [k, proofNonce] = [nonces.subarray(0, 32), nonces.subarray(32)];
  try {
    if (![k, proofNonce, blind].every(ecc.isPrivate)) throw notNow();
    const nonce = ecc.pointFromScalar(k, true) as Uint8Array;
    const noncePoint = ecc.pointTimesSecret(point, k, randomBytes);
    const proof = proveEquality({ ofBase: nonce, base: point, ofPoint: noncePoint }, k, proofNonce, tools);
    const rTimesKey = ecc.privateMultiply(privateKey, reduced(noncePoint.subarray(1)), randomBytes);
    const sum = ecc.privateAdd(rTimesKey, messageHash);
    rTimesKey.fill(0);
    if (proof === null || sum === null) throw notNow();
    return { nonce, noncePoint, ...proof, sum, blind, blinded: ecc.privateMultiply(k, blind, randomBytes) };
  } finally {
    nonces.fill(0);
  }
}

/** Where a number comes out as zero or above the order, as it does once in 2^127. */
const notNow = (): Error => new RangeError('there is no signature with these nonces: try again');

/** k⁻¹ = (k·b)⁻¹ · b */
function finish(begun: Begun, inverseOfBlinded: bigint, { ecc, randomBytes }: Tools): AdaptorSignature {
  const inverse = ecc.privateMultiply(begun.blind, scalarBytes(inverseOfBlinded), randomBytes);
  const scalar = ecc.privateMultiply(inverse, begun.sum, randomBytes);
  inverse.fill(0);
  return { ...begun, scalar };
}

/**
 * k and the proof's nonce: bound to key, message and point, and to fresh randomness. Where randomness fails, no nonce serves two
 * messages or two points all the same.
 */
function deriveNonces(
  messageHash: Uint8Array,
  privateKey: Uint8Array,
  point: Uint8Array,
  randomness: Uint8Array,
): Uint8Array {
  const seed = Buffer.allocUnsafe(64 + 32 + 32 + 33 + 32);
  seed.set(NONCE_TAG);
  seed.set(privateKey, 64);
  seed.set(randomness, 96);
  seed.set(compressed(point), 128);
  seed.set(messageHash, 161);
  const nonces = hash('sha512', seed, 'buffer');
  seed.fill(0);
  return nonces;
}
