/** Proof that X = k·G and Z = k·Y have one k (dlcspecs ECDSA-adaptor.md, Proof of Discrete Logarithm Equality). */
import { hash } from 'node:crypto';
import { tagPrefix } from '../../hashes.ts';
import { type BasePlusPoint, basePlusPoint } from '../../keys/base-plus-point.ts';
import { compressed } from '../../keys/compressed.ts';
import { reduced } from '../../keys/scalars.ts';
import type { RandomBytes, Secp256k1 } from '../../keys/secp256k1.ts';

/** The base compressed or not, the others compressed. */
export interface EqualLogarithms {
  /** k·G */
  readonly ofBase: Uint8Array;
  /** Y */
  readonly base: Uint8Array;
  /** k·Y */
  readonly ofPoint: Uint8Array;
}

export interface EqualityProof {
  readonly challenge: Uint8Array;
  readonly response: Uint8Array;
}

const TAG = tagPrefix('DLEQ');

/** `secret` is k; `nonce` a scalar that is used once, which the caller overwrites. */
export function proveEquality(
  statement: EqualLogarithms,
  secret: Uint8Array,
  nonce: Uint8Array,
  { ecc, randomBytes }: { readonly ecc: Secp256k1; readonly randomBytes: RandomBytes },
): EqualityProof | null {
  const challenge = challengeOf(
    statement,
    ecc.pointFromScalar(nonce, true) as Uint8Array,
    ecc.pointTimesSecret(statement.base, nonce, randomBytes),
  );
  const product = ecc.privateMultiply(secret, challenge, randomBytes);
  const response = ecc.privateAdd(product, nonce);
  product.fill(0);
  return response && { challenge, response };
}

/** Throws for what is no point or scalar. `combine` is for comparing ways to compute it. */
export function verifyEquality(
  statement: EqualLogarithms,
  { challenge, response }: EqualityProof,
  curve: Secp256k1,
  combine: BasePlusPoint = basePlusPoint,
): boolean {
  const minusChallenge = curve.privateNegate(challenge);
  const first = combine(response, minusChallenge, statement.ofBase, curve);
  const products = [
    curve.pointMultiply(statement.base, response, false) as Uint8Array,
    curve.pointMultiply(statement.ofPoint, minusChallenge, false) as Uint8Array,
  ];
  const second = curve.pointSum(products, true);
  if (first === null || second === null) return false;
  return Buffer.compare(challengeOf(statement, first, second), challenge) === 0;
}

function challengeOf({ ofBase, base, ofPoint }: EqualLogarithms, first: Uint8Array, second: Uint8Array): Uint8Array {
  const bytes = Buffer.allocUnsafe(64 + 5 * 33);
  bytes.set(TAG);
  bytes.set(ofBase, 64);
  bytes.set(compressed(base), 97);
  bytes.set(ofPoint, 130);
  bytes.set(first, 163);
  bytes.set(second, 196);
  return reduced(hash('sha256', bytes, 'buffer'));
}
