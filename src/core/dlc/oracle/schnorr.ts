/** BIP340 as oracles use it: with a nonce that was announced, so that the point of the signature is known before the signature. */
import { taggedHash } from '../../hashes.ts';
import { compressed } from '../../keys/compressed.ts';
import { ecc as defaultCurve } from '../../keys/ecc.ts';
import { isScalar, reduced, scalarOf } from '../../keys/scalars.ts';
import type { RandomBytes, Secp256k1 } from '../../keys/secp256k1.ts';

export interface OracleTools {
  readonly randomBytes: RandomBytes;
  readonly ecc?: Secp256k1;
}

const challengeTagged = taggedHash('BIP0340/challenge');

/**
 * Signs a 32-byte hash with a nonce that is given and must sign nothing else, ever: a second hash gives the key away. Key and nonce are
 * the caller's to zero. 64 bytes. Throws TypeError for what is no private key.
 */
export function signWithNonce(
  hash: Uint8Array,
  privateKey: Uint8Array,
  nonce: Uint8Array,
  { randomBytes, ecc = defaultCurve }: OracleTools,
): Uint8Array {
  const key = withEvenY(privateKey, ecc);
  const k = withEvenY(nonce, ecc);
  const product = ecc.privateMultiply(key.scalar, challenge(k.xOnly, key.xOnly, hash), randomBytes);
  try {
    const s = ecc.privateAdd(product, k.scalar);
    // Once in 2^256: k is −e·x. No other signature has this nonce.
    if (s === null) throw new RangeError('there is no signature of this hash with this nonce');
    const signature = new Uint8Array(64);
    signature.set(k.xOnly);
    signature.set(s, 32);
    return signature;
  } finally {
    for (const secret of [key.scalar, k.scalar, product]) secret.fill(0);
  }
}

/** s·G of the signature that is to come, compressed: R + e·P. Throws TypeError for what is no x-only point. */
export function signaturePoint(
  hash: Uint8Array,
  publicKey: Uint8Array,
  nonce: Uint8Array,
  ecc: Secp256k1 = defaultCurve,
): Uint8Array {
  return compressed(signaturePoints(publicKey, nonce, ecc)(hash));
}

/** The same for several hashes, of which one will be signed: uncompressed, so that what comes of it takes no square root. */
export function signaturePoints(
  publicKey: Uint8Array,
  nonce: Uint8Array,
  ecc: Secp256k1 = defaultCurve,
): (hash: Uint8Array) => Uint8Array {
  const [key, start] = [publicKey, nonce].map((xOnly) => ecc.pointCompress(evenPoint(xOnly), false)) as [
    Uint8Array,
    Uint8Array,
  ];
  return (hash) => {
    const product = ecc.pointMultiply(key, challenge(nonce, publicKey, hash), false);
    const point = product && ecc.pointSum([start, product], false);
    // Once in 2^256, or where somebody made the nonce out of the hash, which cannot be done.
    if (point === null) throw new TypeError('the signature would be zero');
    return point;
  };
}

/** False for anything malformed. */
export function verifySignature(
  hash: Uint8Array,
  publicKey: Uint8Array,
  signature: Uint8Array,
  ecc: Secp256k1 = defaultCurve,
): boolean {
  try {
    return ecc.verifySchnorr(hash, publicKey, signature);
  } catch {
    return false;
  }
}

/** The scalar s of a signature, which decrypts. Throws TypeError where it is none. */
export function signatureScalar(signature: Uint8Array): Uint8Array {
  const s = Uint8Array.from(signature.subarray(32, 64));
  if (signature.length !== 64 || !isScalar(scalarOf(s))) throw new TypeError('Expected Signature');
  return s;
}

const challenge = (nonce: Uint8Array, publicKey: Uint8Array, hash: Uint8Array): Uint8Array =>
  reduced(challengeTagged(nonce, publicKey, hash));

function evenPoint(xOnly: Uint8Array): Uint8Array {
  const point = new Uint8Array(33);
  point[0] = 2;
  point.set(xOnly, 1);
  return point;
}

/** A copy of the scalar, or its negative: the one whose point has an even y. */
function withEvenY(scalar: Uint8Array, ecc: Secp256k1): { scalar: Uint8Array; xOnly: Uint8Array } {
  const point = ecc.pointFromScalar(scalar, true) as Uint8Array;
  return {
    scalar: point[0] === 2 ? Uint8Array.from(scalar) : ecc.privateNegate(scalar),
    xOnly: point.subarray(1),
  };
}
