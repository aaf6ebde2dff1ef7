/**
 * That an oracle knows the secrets of the nonces that it announces: one BIP340 signature by each nonce of the oracle's key and the whole
 * event, as dlcspecs' proposed announcements of version 1 have it (pull request 167). The announcement's own signature proves the key.
 */
import { taggedHash } from '../../hashes.ts';
import { ecc } from '../../keys/ecc.ts';
import { serializeOracleEvent } from '../messages/announcement.ts';
import type { OracleAnnouncement } from '../oracle-event.ts';
import { type OracleTools, signaturePoints, signatureScalar, signWithNonce } from './schnorr.ts';

const nonceProofTagged = taggedHash('DLC/oracle/nonce-proof/v0');

/** Of one event: nobody's proof is another oracle's, or another event's. */
const proofHash = ({ publicKey, event }: Pick<OracleAnnouncement, 'publicKey' | 'event'>): Uint8Array =>
  nonceProofTagged(publicKey, serializeOracleEvent(event));

/** 64 bytes; all nonces of an event sign the same. Both secrets are the caller's to zero: `fresh` signs nothing else, ever. */
export const proveNonce = (
  announcement: Pick<OracleAnnouncement, 'publicKey' | 'event'>,
  { nonce, fresh }: { readonly nonce: Uint8Array; readonly fresh: Uint8Array },
  tools: OracleTools,
): Uint8Array => signWithNonce(proofHash(announcement), nonce, fresh, tools);

/** Whether there is one proof for each nonce, in their order, and each holds. False for anything malformed. */
export function provesNonces(announcement: OracleAnnouncement, proofs: readonly Uint8Array[]): boolean {
  const proving = nonceProofs(announcement, proofs);
  for (;;) {
    const { done, value } = proving.next();
    if (done === true) return value;
  }
}

/** The same, a nonce at a time: half a millisecond each. */
export function* nonceProofs(
  announcement: OracleAnnouncement,
  proofs: readonly Uint8Array[],
): Generator<undefined, boolean> {
  const { nonces } = announcement.event;
  if (proofs.length !== nonces.length) return false;
  const hash = proofHash(announcement);
  for (const [at, nonce] of nonces.entries()) {
    if (!holds(hash, nonce, proofs[at] as Uint8Array)) return false;
    yield;
  }
  return true;
}

/** BIP340's verification with s·G on one side: many at a time, where the curve is quick (docs/decisions/1215). */
function holds(hash: Uint8Array, nonce: Uint8Array, proof: Uint8Array): boolean {
  try {
    const left = ecc.pointFromScalar(signatureScalar(proof), false);
    return left !== null && Buffer.compare(left, signaturePoints(nonce, proof.subarray(0, 32))(hash)) === 0;
  } catch {
    return false;
  }
}
