/** Oracles of an account: its own, whose keys are here, and others', known by public key and URL; what they announce and attest. */
import type { EventDescriptor, OracleAnnouncement, OracleAttestation } from '../../core/dlc/oracle-event.ts';
import type { AccountId, OracleId, OracleName } from '../../core/ids.ts';
import type { Page, PageRequest } from '../../store/records.ts';
import type { AttestationRecord } from '../../store/repositories/attestations.ts';
import type { OracleEventRecord } from '../../store/repositories/oracle-events.ts';
import type { OracleKind, OracleRecord } from '../../store/repositories/oracles.ts';
import type { Repositories } from '../../store/store.ts';
import type { Held } from '../approvals/held-answer.ts';
import type { Doing } from '../approvals/held-operation.ts';
import type { RequestContext } from '../requests/request-context.ts';
import type { QueryFailure } from './querying/query-oracle.ts';

export type { AttestationRecord } from '../../store/repositories/attestations.ts';
export type { OracleEventRecord } from '../../store/repositories/oracle-events.ts';
export type { OracleRecord } from '../../store/repositories/oracles.ts';

export interface NewEvent {
  /** An oracle id, or `local`. */
  readonly oracle: OracleName;
  /** Absent: made up. */
  readonly eventId?: string | undefined;
  readonly descriptor: EventDescriptor;
  /** Unix seconds. */
  readonly maturityEpoch: number;
}

/** An attestation with what it is judged by. */
export interface AttestationView extends AttestationRecord {
  readonly event: OracleEventRecord;
  /** x-only, hex. */
  readonly publicKey: string;
  /** All that are kept of the event, oldest first, this one among them: more than one prove that the oracle said both. */
  readonly ofEvent: readonly AttestationRecord[];
}

export interface AttestationVerification {
  readonly announcement: OracleAnnouncement;
  readonly announcementHolds: boolean;
  /** In the order given. reason: why it is none of the event's; null where it is. */
  readonly attestations: readonly { readonly attestation: OracleAttestation; readonly reason: string | null }[];
  /** Two of those that hold attest different outcomes. */
  readonly equivocation: boolean;
}

export interface AskedAttestation {
  readonly attestation: AttestationRecord | null;
  readonly failure: QueryFailure | null;
}

export interface OracleService {
  /** An external one. Throws `already_exists`, `invalid_key`, `invalid_value` (url). */
  register(
    request: { name: string; publicKey: string; url?: string | undefined; externalId?: string | undefined },
    context: RequestContext,
  ): Promise<OracleRecord>;
  createLocal(
    request: { name: string; externalId?: string | undefined },
    context: RequestContext,
  ): Promise<OracleRecord>;
  /** By id, or `local`: that one is made when it is first asked for. Throws `not_found` (field oracle). */
  resolve(accountId: AccountId, oracle: OracleName): Promise<OracleRecord>;
  get(oracle: OracleName, context: RequestContext): Promise<OracleRecord>;
  list(
    filter: { kind?: OracleKind; externalId?: string },
    page: PageRequest,
    context: RequestContext,
  ): Promise<Page<OracleRecord>>;
  update(
    oracle: OracleName,
    patch: { name?: string | undefined; url?: string | null | undefined; externalId?: string | null | undefined },
    context: RequestContext,
  ): Promise<OracleRecord>;
  /** Throws `state_conflict` while events or contracts refer to it. */
  delete(oracle: OracleName, context: RequestContext): Promise<void>;

  /** A local oracle announces: nonces are committed first. */
  announce(request: NewEvent, context: RequestContext): Promise<OracleEventRecord>;
  /** The same as a part of something else (a contract with the local oracle), without a request of its own. */
  announceFor(accountId: AccountId, request: NewEvent): Promise<OracleEventRecord>;
  /** A foreign announcement (TLV 55332), of a registered oracle. Throws `invalid_message`, `invalid_signature`, `already_exists` (another announcement of the event). */
  addAnnouncement(
    bytes: Uint8Array,
    context: RequestContext,
    /** The record of its nonces' proofs. Throws `invalid_signature`, `invalid_message` (field proof). */
    proof?: Uint8Array,
  ): Promise<OracleEventRecord>;
  /** Within a job, as a part of something else (an offer): registers what is missing, the oracle too. Answers both. */
  keepAnnouncement(
    tx: Repositories,
    accountId: AccountId,
    announcement: OracleAnnouncement,
    /** The record of its nonces' proofs, verified, hex. */
    proof: string | null,
  ): Promise<{ oracle: OracleRecord; event: OracleEventRecord }>;
  /** Of a signed announcement, before it is kept: throws `contract_refused` where a nonce is another event's, and marks the oracle. */
  requireFreshNonces(announcement: OracleAnnouncement): Promise<void>;
  event(of: { oracle: OracleName; eventId: string }, context: RequestContext): Promise<OracleEventRecord>;
  listEvents(
    filter: { oracle?: OracleName; eventId?: string; attested?: boolean },
    page: PageRequest,
    context: RequestContext,
  ): Promise<Page<OracleEventRecord>>;
  /**
   * Asks an external oracle's URL for an announcement and keeps it; one that is known is answered as it is. Throws `announcement_missing`,
   * `invalid_signature`. With the context of the request that asks for nothing else.
   */
  fetchAnnouncement(
    accountId: AccountId,
    oracle: OracleRecord,
    eventId: string,
    context?: RequestContext,
  ): Promise<OracleEventRecord>;

  /**
   * The local oracle attests: commits the outcome, then signs what is committed; Held, with nothing committed, where rules want it approved
   * first. The same outcome again: the same attestation. Throws
   * `outcome_conflict` where another stands, `oracle_frozen`, `state_conflict` before maturity, `invalid_value` where the event has no
   * such outcome.
   */
  attest(
    request: { oracle: OracleName; eventId: string; outcome: string },
    context: RequestContext,
  ): Promise<AttestationView | Held>;
  /** The same as a part of something else; the caller has checked who asks. `judge`: first in the job that commits the outcome. */
  attestFor(
    accountId: AccountId,
    request: { oracleId: OracleId; eventId: string; outcome: string },
    doing: Pick<Doing, 'passed' | 'judge'>,
  ): Promise<AttestationRecord>;
  /** A foreign attestation (TLV 55400): verified and kept; a second one of the event is kept as proof, and the oracle marked. */
  addAttestation(bytes: Uint8Array, context: RequestContext): Promise<AttestationView>;
  /** Kept attestations of an event, oldest first. */
  attestationsOf(accountId: AccountId, oracleId: OracleId, eventId: string): Promise<AttestationRecord[]>;
  /** Asks the oracle's URL, where it has one; null where there is none yet. Never throws for what the other side does: it is logged. */
  fetchAttestation(
    accountId: AccountId,
    oracleId: OracleId,
    eventId: string,
    signal?: AbortSignal,
  ): Promise<AttestationRecord | null>;
  /** The same, with why its server gave no answer (or none that holds): null where it answered, be it that there is none yet. */
  askForAttestation(
    accountId: AccountId,
    oracleId: OracleId,
    eventId: string,
    signal?: AbortSignal,
  ): Promise<AskedAttestation>;
  /** As it was taken out of a CET on the chain (source chain). */
  storeAttestation(
    accountId: AccountId,
    bytes: Uint8Array,
    source: AttestationRecord['source'],
  ): Promise<AttestationRecord>;
  attestation(attestationId: string, context: RequestContext): Promise<AttestationView>;
  listAttestations(
    filter: { oracle?: OracleName; eventId?: string; equivocated?: boolean },
    page: PageRequest,
    context: RequestContext,
  ): Promise<Page<AttestationView>>;
  /** Calls back after an attestation became known in this process, from wherever; returns the unsubscribe. */
  onAttestation(listener: (attestation: AttestationRecord) => void): () => void;
}
