import { type BasePlusPoint, basePlusPoint } from '../../keys/base-plus-point.ts';
import { ecc as defaultCurve } from '../../keys/ecc.ts';
import { CURVE_ORDER, inverses, scalarBytes, scalarOf } from '../../keys/scalars.ts';
import type { Secp256k1 } from '../../keys/secp256k1.ts';
import { type Equation, seedOf, verifyBatch } from './batch-verification.ts';
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

/** Fewer are looked at one by one. */
const MANY = 4;

/** The index of the first that is not valid, null where all are. What can be computed once for all of them is. */
export function firstInvalid(
  items: readonly ToVerify[],
  publicKey: Uint8Array,
  { ecc = defaultCurve, combine = basePlusPoint }: VerifyingTools = {},
): number | null {
  const parsed = items.map(({ signature }) => parseAdaptorSignature(signature));
  const malformed = items.findIndex((item, at) => parsed[at] === null || item.messageHash.length !== 32);
  const wellFormed = (malformed === -1 ? parsed : parsed.slice(0, malformed)) as AdaptorSignature[];
  const tools = { ecc, combine };

  const inverted = inverses(wellFormed.map(({ scalar }) => scalarOf(scalar)));
  const equations = wellFormed.map(({ nonce, noncePoint }, at) => {
    const { messageHash } = items[at] as ToVerify;
    return equationOf(nonce, noncePoint, messageHash, inverted[at] as bigint);
  });
  const [first] = equations;
  // Where the first is wrong, as with another key or hash, the others need not be looked at.
  const together =
    first !== undefined &&
    equations.length >= MANY &&
    holds(first, publicKey, tools) &&
    holdTogether(equations, items, publicKey, tools);
  const bad = wellFormed.findIndex(
    (signature, at) =>
      !(together || holds(equations[at] as Equation, publicKey, tools)) ||
      !proves(signature, (items[at] as ToVerify).encryptionPoint, tools),
  );
  if (bad !== -1) return bad;
  return malformed === -1 ? null : malformed;
}

/** R_a = (m/s_a)·G + (r/s_a)·X */
function equationOf(nonce: Uint8Array, noncePoint: Uint8Array, messageHash: Uint8Array, inverse: bigint): Equation {
  return {
    point: nonce,
    base: (scalarOf(messageHash) * inverse) % CURVE_ORDER,
    factor: (scalarOf(noncePoint.subarray(1)) * inverse) % CURVE_ORDER,
  };
}

function holds({ point, base, factor }: Equation, publicKey: Uint8Array, tools: Required<VerifyingTools>): boolean {
  try {
    const implied = tools.combine(scalarBytes(base), scalarBytes(factor), publicKey, tools.ecc);
    return implied !== null && Buffer.compare(implied, point) === 0;
  } catch {
    return false; // what is no point
  }
}

function holdTogether(
  equations: readonly Equation[],
  items: readonly ToVerify[],
  publicKey: Uint8Array,
  { ecc, combine }: Required<VerifyingTools>,
): boolean {
  const all = [publicKey, ...items.flatMap(({ signature, messageHash }) => [signature, messageHash])];
  try {
    return verifyBatch(equations, publicKey, seedOf(all), ecc, combine);
  } catch {
    return false; // one of them is no point: which one shows when they are looked at one by one
  }
}

function proves(
  signature: AdaptorSignature,
  encryptionPoint: Uint8Array,
  { ecc, combine }: Required<VerifyingTools>,
): boolean {
  const { noncePoint, nonce } = signature;
  try {
    return verifyEquality({ ofBase: nonce, base: encryptionPoint, ofPoint: noncePoint }, signature, ecc, combine);
  } catch {
    return false; // what is no point
  }
}
