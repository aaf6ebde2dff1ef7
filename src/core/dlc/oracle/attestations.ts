import { sameBytes } from '../../bytes.ts';
import { ecc as defaultCurve } from '../../keys/ecc.ts';
import type { Secp256k1 } from '../../keys/secp256k1.ts';
import type { Dialect } from '../dialect.ts';
import type { EventDescriptor, OracleAnnouncement, OracleAttestation } from '../oracle-event.ts';
import { attestationHash } from './message-hash.ts';
import {
  type OracleTools,
  signaturePoint,
  signaturePoints,
  signatureScalar,
  signWithNonce,
  verifySignature,
} from './schnorr.ts';

/**
 * What the scalar of the oracle's signature of the outcome will be the discrete logarithm of, compressed. `publicKey` and `nonce` are
 * x-only. Throws TypeError where one is no point.
 */
export const attestationPoint = (
  publicKey: Uint8Array,
  nonce: Uint8Array,
  outcome: string,
  dialect: Dialect,
  ecc: Secp256k1 = defaultCurve,
): Uint8Array => signaturePoint(attestationHash(outcome, dialect), publicKey, nonce, ecc);

/** The same for each outcome of an event: uncompressed, and what they have in common computed once. */
export function attestationPoints(
  publicKey: Uint8Array,
  nonce: Uint8Array,
  dialect: Dialect,
): (outcome: string) => Uint8Array {
  const pointOf = signaturePoints(publicKey, nonce);
  return (outcome) => pointOf(attestationHash(outcome, dialect));
}

/** Signs an outcome (64 bytes, BIP340) with the announced nonce, which may sign no other outcome ever. */
export const signAttestation = (
  privateKey: Uint8Array,
  nonce: Uint8Array,
  outcome: string,
  dialect: Dialect,
  tools: OracleTools,
): Uint8Array => signWithNonce(attestationHash(outcome, dialect), privateKey, nonce, tools);

/** False for anything malformed. */
export const verifyAttestationSignature = (
  signature: Uint8Array,
  publicKey: Uint8Array,
  outcome: string,
  dialect: Dialect,
): boolean => verifySignature(attestationHash(outcome, dialect), publicKey, signature);

/** The s of an attestation's signature, 32 bytes: the key to what is encrypted under its attestationPoint. */
export const attestationScalar = signatureScalar;

/** Of attestation points: what is encrypted under the sum needs all of the attestations. Compressed. */
export function sumPoints(points: readonly Uint8Array[], ecc: Secp256k1 = defaultCurve): Uint8Array {
  const sum = ecc.pointSum(points, true);
  if (sum === null) throw new RangeError('the points add up to nothing');
  return sum;
}

/** Of attestation scalars, which belongs to the sum of their points. */
export function sumScalars(scalars: readonly Uint8Array[], ecc: Secp256k1 = defaultCurve): Uint8Array {
  const [first, ...others] = scalars;
  if (first === undefined) throw new RangeError('there is nothing to add up');
  return others.reduce<Uint8Array>((sum, scalar) => {
    const next = ecc.privateAdd(sum, scalar);
    if (next === null) throw new RangeError('the scalars add up to nothing');
    return next;
  }, Uint8Array.from(first));
}

/** Why an attestation is not the announced event's. */
export type AttestationProblem =
  | 'other_oracle'
  | 'other_event'
  | 'signature_count'
  | 'no_such_outcome'
  | 'other_nonce'
  | 'invalid_signature';

/** null where it is: every nonce signed once, an outcome that the event has, by the oracle that announced it. */
export function attestationProblem(
  attestation: OracleAttestation,
  announcement: OracleAnnouncement,
  dialect: Dialect,
): AttestationProblem | null {
  const looking = attestationProblems(attestation, announcement, dialect);
  for (;;) {
    const { done, value } = looking.next();
    if (done === true) return value;
  }
}

/** The same, a signature at a time: a third of a millisecond each. */
export function* attestationProblems(
  attestation: OracleAttestation,
  { publicKey, event }: OracleAnnouncement,
  dialect: Dialect,
): Generator<undefined, AttestationProblem | null> {
  const { signatures, outcomes } = attestation;
  if (!sameBytes(attestation.publicKey, publicKey)) return 'other_oracle';
  // Attestations did not always say of which event they are. Their nonces do.
  if (attestation.eventId !== '' && attestation.eventId !== event.eventId) return 'other_event';
  if (signatures.length !== event.nonces.length || outcomes.length !== signatures.length) return 'signature_count';
  if (!outcomes.every((outcome, at) => hasOutcome(event.descriptor, outcome, at))) return 'no_such_outcome';
  for (const [at, signature] of signatures.entries()) {
    if (!sameBytes(signature.subarray(0, 32), event.nonces[at] as Uint8Array)) return 'other_nonce';
    if (!verifyAttestationSignature(signature, publicKey, outcomes[at] as string, dialect)) return 'invalid_signature';
    yield;
  }
  return null;
}

export const verifyAttestation = (
  attestation: OracleAttestation,
  announcement: OracleAnnouncement,
  dialect: Dialect,
): boolean => attestationProblem(attestation, announcement, dialect) === null;

/**
 * The places (of nonces) where two attestations, each verified, sign different outcomes with one nonce: proof that the oracle said both,
 * out of which anybody computes its private key. Empty where they agree.
 */
export function equivocation(one: OracleAttestation, other: OracleAttestation): number[] {
  if (!sameBytes(one.publicKey, other.publicKey)) return [];
  return [...one.signatures.keys()].filter((at) => {
    const [mine, theirs] = [one.signatures[at], other.signatures[at]];
    const sameNonce = mine && theirs && sameBytes(mine.subarray(0, 32), theirs.subarray(0, 32));
    return sameNonce && one.outcomes[at] !== other.outcomes[at];
  });
}

function hasOutcome(descriptor: EventDescriptor, outcome: string, at: number): boolean {
  if (descriptor.kind === 'enum') return descriptor.outcomes.includes(outcome);
  if (descriptor.signed && at === 0) return outcome === '+' || outcome === '-';
  return /^(0|[1-9]\d{0,4})$/.test(outcome) && Number(outcome) < descriptor.base;
}
