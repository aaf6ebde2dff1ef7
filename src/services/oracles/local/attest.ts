/**
 * A local oracle's attestations: one per event, whatever happens. A second one of another outcome would give the oracle's private key
 * to whoever sees both. In order (docs/decisions/1210):
 *
 * 1. The outcome is committed in the event's row, by one statement that changes nothing where one stands: of two that decide at once,
 *    in whatever processes, one is refused. Events of a restored database that may have been attested since are frozen, and refused.
 * 2. What is signed is read from that row. The signature is made of key, nonces and outcome alone, so that all who sign it make the same.
 * 3. It is kept, and shown only then.
 *
 * Ended between any two of these, the next request of the same outcome (or whoever waits for the attestation) goes on; another outcome is
 * refused for ever.
 */

import { parseAttestation } from '../../../core/dlc/messages/attestation.ts';
import { signAttestation } from '../../../core/dlc/oracle/attestations.ts';
import { attestedOutcome, outcomesToAttest } from '../../../core/dlc/oracle/attested-outcomes.ts';
import type { EventDescriptor, OracleAttestation } from '../../../core/dlc/oracle-event.ts';
import { DomainError } from '../../../core/errors.ts';
import type { AccountId, OracleId, OracleName } from '../../../core/ids.ts';
import { attestationText } from '../../../core/policies/attestation-text.ts';
import type { AttestationRecord } from '../../../store/repositories/attestations.ts';
import { assertNotFrozen, type OracleEventRecord } from '../../../store/repositories/oracle-events.ts';
import type { OracleRecord } from '../../../store/repositories/oracles.ts';
import type { Repositories } from '../../../store/store.ts';
import type { Judge } from '../../approvals/approval-subject.ts';
import { atOnce, type Doing, requireApproved } from '../../approvals/held-operation.ts';
import { failApproval } from '../../approvals/open-approval.ts';
import { OF_SERVICE, type OfService, type Passed, speaking } from '../../policies/gate.ts';
import type { OracleDependencies } from '../oracle-dependencies.ts';
import type { AttestationView, OracleService } from '../oracle-service.ts';
import { type AttestationListeners, requireAttested, storeAttestation } from '../store-attestation.ts';
import { announcementOf } from '../stored-announcement.ts';
import { requireLocal } from './announce.ts';
import { withNonces, withOracleKey } from './local-keys.ts';

export interface Attesting extends Pick<OracleService, 'attest' | 'attestFor'> {
  /** Goes on where the process ended after the outcome was committed; null where none is. */
  finish(oracle: OracleRecord, event: OracleEventRecord): Promise<AttestationRecord | null>;
}

interface Decision {
  /** JSON list of what is attested, as it is committed. */
  readonly outcomes: string;
  /** Where it is attested so already. */
  readonly given: AttestationRecord | null;
}

export function createAttesting(
  deps: OracleDependencies & Pick<OracleService, 'resolve' | 'event'> & { attestationListeners: AttestationListeners },
): Attesting {
  const { store, clock, attestationListeners } = deps;

  /** What would be signed, with all checked that can be before it is committed. */
  async function considered(oracle: OracleRecord, event: OracleEventRecord, outcome: string): Promise<Decision> {
    const { accountId, oracleId, eventId, maturityEpoch, committedOutcome } = event;
    requireLocal(oracle);
    const outcomes = JSON.stringify(outcomesToAttest(JSON.parse(event.descriptor) as EventDescriptor, outcome));
    const known = await store.read.attestations.ofEvent(accountId, oracleId, eventId);
    const given = known.find((one) => one.outcomes === outcomes);
    if (given !== undefined) return { outcomes, given };
    if (clock() < maturityEpoch * 1000) {
      const time = new Date(maturityEpoch * 1000).toISOString();
      throw new DomainError('state_conflict', `the event is not attested before its maturity, ${time}`, {
        field: 'event_id',
      });
    }
    requireNonces(event);
    assertNotFrozen(event);
    const standing = committedOutcome ?? known[0]?.outcomes ?? outcomes;
    if (standing !== outcomes) throw conflict(event, standing);
    return { outcomes, given: null };
  }

  /** Throws `oracle_frozen`, `outcome_conflict`, and what `judge` throws. */
  async function commit(event: OracleEventRecord, outcomes: string, judge?: Judge): Promise<string> {
    const { accountId, oracleId, eventId } = event;
    requireNonces(event);
    const standing = await store.write(async (tx) => {
      await judge?.(tx);
      const standing = await tx.oracleEvents.commitOutcome({ accountId, oracleId, eventId }, outcomes, clock());
      if (standing === outcomes) await endOthers(tx, event, outcomes, clock());
      return standing;
    });
    if (standing === outcomes) return standing;
    throw conflict(event, standing);
  }

  /** `outcomes` is what stands in the event's row. */
  async function signAndKeep(
    oracle: OracleRecord,
    event: OracleEventRecord,
    { outcomes, given }: Decision,
    { passed, record }: { readonly passed: Passed | OfService; readonly record?: Doing['record'] },
  ): Promise<AttestationView> {
    const attestation =
      given === null
        ? await signed(oracle, event, JSON.parse(outcomes) as string[], passed)
        : parseAttestation(Buffer.from(given.attestation, 'hex'));
    const kept = await store.write(async (tx) => {
      const made = await storeAttestation(deps, tx, { oracle, event, attestation, source: 'local' });
      await record?.(tx, { result: made.view, target: made.view.attestationId });
      return made;
    });
    attestationListeners.notify(kept);
    return kept.view;
  }

  async function signed(
    oracle: OracleRecord,
    event: OracleEventRecord,
    outcomes: readonly string[],
    passed: Passed | OfService,
  ): Promise<OracleAttestation> {
    const signatures = await withNonces(deps, event, passed, (nonces) =>
      withOracleKey(deps, oracle, (key) =>
        outcomes.map((outcome, at) => signAttestation(key, nonces[at] as Uint8Array, outcome, 'tagged', deps)),
      ),
    );
    const { publicKey } = announcementOf(event);
    const attestation = { eventId: event.eventId, publicKey, signatures, outcomes };
    // A fault of memory or of the key would otherwise be published.
    await requireAttested(attestation, event);
    return attestation;
  }

  async function place(accountId: AccountId, named: OracleName, eventId: string) {
    const oracle = await deps.resolve(accountId, named);
    const event = await store.read.oracleEvents.find(accountId, oracle.oracleId, eventId);
    if (event !== null) return { oracle, event };
    throw new DomainError('not_found', 'no event of this id is known of the oracle', { field: 'event_id' });
  }

  /** Of what `considered` found: the outcome is committed first. */
  async function decide(
    { oracle, event }: Awaited<ReturnType<typeof place>>,
    outcome: string,
    doing: Pick<Doing, 'passed' | 'judge'> & Partial<Pick<Doing, 'record'>>,
  ): Promise<AttestationView> {
    const { outcomes, given } = await considered(oracle, event, outcome);
    const committed = given === null ? await commit(event, outcomes, doing.judge) : outcomes;
    return signAndKeep(oracle, event, { outcomes: committed, given }, doing);
  }

  const attest = deps.held.operation<{ oracleId: OracleId; eventId: string; outcome: string }, AttestationView>({
    id: ATTESTS,
    access: { scope: 'oracles:write', role: 'operator' },
    async describe({ oracleId, eventId, outcome }, accountId) {
      const { event } = await place(accountId, oracleId, eventId);
      return {
        ...{ asked: speaking('attest', null), subject: eventId },
        signs: attestationText({ oracle_id: oracleId, announcement: event.announcement, outcome }),
      };
    },
    async run({ oracleId, eventId, outcome }, doing) {
      const at = await place(doing.accountId, oracleId, eventId);
      if (doing.approved !== null)
        await requireApproved(
          doing,
          attestationText({ oracle_id: oracleId, announcement: at.event.announcement, outcome }),
        );
      return decide(at, outcome, doing);
    },
  });

  return {
    async attest({ oracle: named, eventId, outcome }, context) {
      const { oracle, event } = await place(context.accountId, named, eventId);
      const decision = await considered(oracle, event, outcome);
      if (decision.given === null) return attest({ oracleId: oracle.oracleId, eventId, outcome }, context);
      // Nothing is signed: what everybody may have already is answered again.
      return signAndKeep(oracle, event, decision, { ...atOnce(context), passed: OF_SERVICE });
    },
    attestFor: async (accountId, { oracleId, eventId, outcome }, { passed, judge }) =>
      decide(await place(accountId, oracleId, eventId), outcome, { passed, judge }),
    async finish(oracle, event) {
      const { committedOutcome } = event;
      if (committedOutcome === null) return null;
      // Refuses what is frozen, or attested otherwise.
      const outcomes = await commit(event, committedOutcome);
      return signAndKeep(oracle, event, { outcomes, given: null }, { passed: OF_SERVICE });
    },
  };
}

const ATTESTS = 'oracle.attest';

/** In the job that commits the outcome: nobody can approve another any more. */
async function endOthers(tx: Repositories, event: OracleEventRecord, outcomes: string, now: number): Promise<void> {
  const { accountId, oracleId, eventId } = event;
  for (const { requestOf, approvalId } of await tx.approvals.heldAbout(accountId, eventId)) {
    const approval = requestOf === ATTESTS ? await tx.approvals.find(accountId, approvalId) : null;
    if (approval === null) continue;
    // Not checked against the digest: one that was changed is never carried out, and must not keep the oracle from attesting.
    const { signs } = JSON.parse(approval.text) as { signs?: Partial<ReturnType<typeof attestationText>> };
    // Another oracle may have an event of this id.
    if (signs?.oracle_id !== oracleId || JSON.stringify(signs.signatures?.map((one) => one.outcome)) === outcomes)
      continue;
    await failApproval(tx, approval, conflict(event, outcomes).message, now);
  }
}

function requireNonces({ nonces }: OracleEventRecord): void {
  if (nonces !== null) return;
  throw new DomainError(
    'oracle_frozen',
    'the nonces of this event are not here: it was announced by a database that was put back to an earlier time since',
    { field: 'event_id' },
  );
}

function conflict(event: OracleEventRecord, standing: string): DomainError {
  const said = attestedOutcome(JSON.parse(event.descriptor) as EventDescriptor, JSON.parse(standing) as string[]);
  return new DomainError(
    'outcome_conflict',
    `the oracle has decided otherwise, and an event is attested once: ${JSON.stringify(said)}`,
    { field: 'outcome' },
  );
}
