import type { Logger } from 'pino';
import { serializeAttestation } from '../../core/dlc/messages/attestation.ts';
import { type AttestationProblem, attestationProblems } from '../../core/dlc/oracle/attestations.ts';
import type { OracleAttestation } from '../../core/dlc/oracle-event.ts';
import { DomainError } from '../../core/errors.ts';
import { newId } from '../../core/ids.ts';
import { inSlices } from '../../scheduling/in-slices.ts';
import type { AttestationRecord } from '../../store/repositories/attestations.ts';
import type { OracleEventRecord } from '../../store/repositories/oracle-events.ts';
import type { OracleRecord } from '../../store/repositories/oracles.ts';
import type { Repositories } from '../../store/store.ts';
import type { OracleDependencies } from './oracle-dependencies.ts';
import type { AttestationView } from './oracle-service.ts';
import { announcementOf, dialectOf, SIGNATURES_AT_ONCE } from './stored-announcement.ts';

export const ATTESTATION_PROBLEMS: Readonly<Record<AttestationProblem, string>> = {
  other_oracle: 'it is of another oracle',
  other_event: 'it is of another event',
  signature_count: 'it has another number of signatures than the event has nonces',
  no_such_outcome: 'it attests an outcome that the event does not have',
  other_nonce: 'it was signed with other nonces than were announced',
  invalid_signature: "a signature in it is not the oracle's",
};

/** Throws `invalid_signature` (field attestation) where it is not the event's. */
export async function requireAttested(attestation: OracleAttestation, event: OracleEventRecord): Promise<void> {
  const announcement = announcementOf(event);
  const looking = attestationProblems(attestation, announcement, dialectOf(announcement));
  const problem = await inSlices(looking, SIGNATURES_AT_ONCE);
  if (problem === null) return;
  throw new DomainError(
    'invalid_signature',
    `the attestation is not the announced event's: ${ATTESTATION_PROBLEMS[problem]}`,
    {
      field: 'attestation',
    },
  );
}

/**
 * Within a job, of one that was verified. A second one of other outcomes is kept beside the first, and the oracle marked: both are the
 * proof. Answers the one that is kept of these outcomes.
 */
export async function storeAttestation(
  deps: Pick<OracleDependencies, 'clock' | 'randomBytes'>,
  tx: Repositories,
  {
    oracle,
    event,
    attestation,
    source,
  }: {
    oracle: OracleRecord;
    event: OracleEventRecord;
    attestation: OracleAttestation;
    source: AttestationRecord['source'];
  },
): Promise<{ view: AttestationView; isNew: boolean }> {
  const { accountId, oracleId, eventId } = event;
  const outcomes = JSON.stringify(attestation.outcomes);
  // One at a time: of two that come at once the second sees the first.
  const held = await tx.oracleEvents.findForUpdate(accountId, oracleId, eventId);
  const isNew = await tx.attestations.insert({
    attestationId: newId('att', deps.randomBytes),
    accountId,
    oracleId,
    eventId,
    outcomes,
    // In one form, and with the event's id, which some servers leave out.
    attestation: Buffer.from(serializeAttestation({ ...attestation, eventId })).toString('hex'),
    source,
    createdAt: deps.clock(),
  });
  const ofEvent = await tx.attestations.ofEvent(accountId, oracleId, eventId);
  if (ofEvent.length > 1 && isNew) {
    const marked = await tx.oracles.find(accountId, oracleId);
    const at = deps.clock();
    if (marked?.equivocatedAt === null) {
      await tx.oracles.update(accountId, oracleId, { equivocatedAt: at, updatedAt: at });
    }
  }
  const record = ofEvent.find((one) => one.outcomes === outcomes) as AttestationRecord;
  return { view: { ...record, event: held ?? event, publicKey: oracle.publicKey, ofEvent }, isNew };
}

export function createAttestationListeners(log: Logger) {
  const listeners = new Set<(attestation: AttestationRecord) => void>();
  return {
    onAttestation(listener: (attestation: AttestationRecord) => void) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    /** After the commit. */
    notify({ view, isNew }: { view: AttestationView; isNew: boolean }) {
      if (!isNew) return;
      const { oracleId, eventId, ofEvent } = view;
      if (ofEvent.length > 1) {
        log.error({ oracle_id: oracleId, event_id: eventId }, 'an oracle attested two outcomes of one event');
      }
      for (const listener of listeners) {
        try {
          listener(view);
        } catch (error) {
          log.error({ err: error }, 'what waits for attestations failed');
        }
      }
    },
  };
}

export type AttestationListeners = ReturnType<typeof createAttestationListeners>;
