import { type BasePlusPoint, basePlusPoint } from '../../keys/base-plus-point.ts';
import { ecc as defaultCurve } from '../../keys/ecc.ts';
import { inverses, reduced, scalarBytes, scalarOf } from '../../keys/scalars.ts';
import type { Secp256k1 } from '../../keys/secp256k1.ts';
import { verifyEquality } from './dleq.ts';
import { type AdaptorSignature, parseAdaptorSignature } from './serialization.ts';

export interface ToVerify {
  /** 162 bytes */
  readonly signature: Uint8Array;
  readonly messageHash: Uint8Array;
  /** Compressed or not. */
  readonly encryptionPoint: Uint8Array;
}

/** How to compute; for tests and measurements. */
export interface VerifyingTools {
  readonly ecc?: Secp256k1;
  readonly combine?: BasePlusPoint;
}

/**
 * Whether decrypting `signature` with the discrete logarithm of `encryptionPoint` gives a signature of the hash by the public key
 * (dlcspecs ECDSA-adaptor.md, ecdsa_adaptor_verify). False for anything malformed.
 */
export const verifyAdaptorSignature = (
  signature: Uint8Array,
  messageHash: Uint8Array,
  publicKey: Uint8Array,
  encryptionPoint: Uint8Array,
  tools: VerifyingTools = {},
): boolean => firstInvalid([{ signature, messageHash, encryptionPoint }], publicKey, tools) === null;

/** The index of the first that is not valid, null where all are; what is inverted for each is inverted for all at once. */
export function firstInvalid(
  items: readonly ToVerify[],
  publicKey: Uint8Array,
  { ecc = defaultCurve, combine = basePlusPoint }: VerifyingTools = {},
): number | null {
  const parsed = items.map(({ signature }) => parseAdaptorSignature(signature));
  const malformed = parsed.indexOf(null);
  const wellFormed = (malformed === -1 ? parsed : parsed.slice(0, malformed)) as AdaptorSignature[];
  const inverted = inverses(wellFormed.map(({ scalar }) => scalarOf(scalar)));
  const bad = wellFormed.findIndex((signature, at) => {
    const inverse = scalarBytes(inverted[at] as bigint);
    return !holds(signature, inverse, items[at] as ToVerify, publicKey, { ecc, combine });
  });
  if (bad !== -1) return bad;
  return malformed === -1 ? null : malformed;
}

/** The proof, and R_a = (m/s_a)·G + (r/s_a)·X. */
function holds(
  signature: AdaptorSignature,
  inverse: Uint8Array,
  { messageHash, encryptionPoint }: ToVerify,
  publicKey: Uint8Array,
  { ecc, combine }: Required<VerifyingTools>,
): boolean {
  const { noncePoint, nonce } = signature;
  if (messageHash.length !== 32) return false;
  try {
    const implied = combine(
      ecc.scalarMultiply(reduced(messageHash), inverse),
      ecc.scalarMultiply(reduced(noncePoint.subarray(1)), inverse),
      publicKey,
      ecc,
    );
    if (implied === null || Buffer.compare(implied, nonce) !== 0) return false;
    return verifyEquality({ ofBase: nonce, base: encryptionPoint, ofPoint: noncePoint }, signature, ecc, combine);
  } catch {
    return false; // what is no point
  }
}
