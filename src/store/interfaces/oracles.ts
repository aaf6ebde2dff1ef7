import type { EncryptedSecret, Page, PageRequest } from '../records.ts';

/** local: the account's own, whose key is here. external: known by its public key. */
export type OracleKind = 'local' | 'external';

export interface OracleRecord {
  /** `ora_…`. The account's first local oracle is also meant by the word `local`. */
  readonly oracleId: string;
  readonly accountId: string;
  readonly name: string;
  readonly externalId: string | null;
  readonly kind: OracleKind;
  /** x-only, hex; unique per account. */
  readonly publicKey: string;
  readonly url: string | null;
  /** Of a local oracle: its private key, sealed. */
  readonly secret: EncryptedSecret | null;
  /** The one that `local` means. At most one per account. */
  readonly isDefault: boolean;
  /** When two attestations of one event were found. */
  readonly equivocatedAt: number | null;
  /** When it was found, by whatever account, to have announced two events with one nonce. */
  readonly nonceReusedAt: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** An event that an oracle announced. Announcements of external oracles and of counterparties' offers are kept in the same form. */
export interface OracleEventRecord {
  readonly accountId: string;
  readonly oracleId: string;
  /** The oracle's own name of the event; unique per oracle. */
  readonly eventId: string;
  /** The whole TLV, hex. */
  readonly announcement: string;
  /** Record of its nonces' proofs (core/dlc/messages/nonce-proofs.ts), verified, hex; null where there is none. */
  readonly proof: string | null;
  /** Since when the account itself has it (announced, posted, fetched), epoch milliseconds; null where it is out of others' offers alone. */
  readonly knownAt: number | null;
  /** Unix seconds. */
  readonly maturityEpoch: number;
  /** JSON of core's EventDescriptor. */
  readonly descriptor: string;
  /** Of a local oracle: the sealed nonces (32 bytes each, one after the other), committed with the announcement. */
  readonly nonces: EncryptedSecret | null;
  /** The local oracle's decision, committed before anything is signed; JSON list of what is attested. */
  readonly committedOutcome: string | null;
  readonly committedAt: number | null;
  /** A restored database may lack an attestation that was given: this event is attested no more. */
  readonly frozenAt: number | null;
  readonly createdAt: number;
}

export interface AttestationRecord {
  /** `att_…` */
  readonly attestationId: string;
  readonly accountId: string;
  readonly oracleId: string;
  readonly eventId: string;
  /** JSON list of the outcomes that were signed. */
  readonly outcomes: string;
  /** The whole TLV, hex. */
  readonly attestation: string;
  /** chain: taken out of a CET that a counterparty broadcast. */
  readonly source: 'local' | 'posted' | 'fetched' | 'chain';
  readonly createdAt: number;
}

export interface OracleRepository {
  /** Throws `already_exists` (field public_key) where the account has the key; for a default, where it has one. */
  insert(oracle: OracleRecord): Promise<void>;
  find(accountId: string, oracleId: string): Promise<OracleRecord | null>;
  /** Of these, those that announced two events with one nonce, or attested two outcomes of one event. */
  marked(accountId: string, oracleIds: readonly string[]): Promise<OracleRecord[]>;
  findDefault(accountId: string): Promise<OracleRecord | null>;
  findByPublicKey(accountId: string, publicKey: string): Promise<OracleRecord | null>;
  list(
    accountId: string,
    filter: { kind?: OracleKind; externalId?: string },
    page: PageRequest,
  ): Promise<Page<OracleRecord>>;
  update(
    accountId: string,
    oracleId: string,
    patch: Partial<Pick<OracleRecord, 'name' | 'externalId' | 'url' | 'equivocatedAt' | 'updatedAt'>>,
  ): Promise<OracleRecord | null>;
  /** False where something refers to it (events, contracts). */
  delete(accountId: string, oracleId: string): Promise<boolean>;
  /**
   * External oracles' matured events for whose attestation a contract (signed, funded, confirmed) waits, and whose time to be asked for has
   * come, in every account: of each its first `ofEach`, the accounts in turn. `now` in epoch milliseconds. Whoever asks says so by
   * `oracleEvents.polled`, and of what is not asked for by `pollLater`. awaited: false where no contract waits for it any more.
   */
  toPoll(
    now: number,
    most: { readonly ofEach: number; readonly all: number },
  ): Promise<{ oracle: OracleRecord; event: OracleEventRecord; awaited: boolean }[]>;
}

/** Hex throughout. */
export interface AnnouncedNonces {
  readonly publicKey: string;
  /** SHA-256 of the event as it is signed. */
  readonly eventDigest: string;
  readonly nonces: readonly string[];
}

/** What oracles have signed is of no account: the same oracle serves many. */
export interface OracleNonceRepository {
  /** Answers one of the nonces that was announced with another event before, null where none was. */
  reusedBy(announced: AnnouncedNonces): Promise<string | null>;
  /** The same, and keeps those that are new. */
  remember(announced: AnnouncedNonces): Promise<string | null>;
  /** The oracle is marked from then on (epoch milliseconds), in every account. False where it was by this nonce. */
  mark(publicKey: string, nonce: string, at: number): Promise<boolean>;
}

export interface OracleEventRepository {
  /** Throws `already_exists` (field event_id), `invalid_value` for an id of more than 500 characters, none, or with a zero character. */
  insert(event: OracleEventRecord): Promise<void>;
  find(accountId: string, oracleId: string, eventId: string): Promise<OracleEventRecord | null>;
  /** What is learned of an announcement later; what is given there stands. */
  learn(
    accountId: string,
    oracleId: string,
    eventId: string,
    learned: Pick<OracleEventRecord, 'proof' | 'knownAt'>,
  ): Promise<void>;
  /** Until the job ends no other job changes it. */
  hold(accountId: string, oracleId: string, eventId: string): Promise<OracleEventRecord | null>;
  list(
    accountId: string,
    filter: { oracleId?: string; eventId?: string; attested?: boolean },
    page: PageRequest,
  ): Promise<Page<OracleEventRecord>>;
  /**
   * Commits the outcome unless one is committed; answers the one that stands. One statement: of two replicas one decides. Throws
   * `oracle_frozen`. Where attestations of the event are known already, from wherever, the first of them stands.
   */
  commitOutcome(accountId: string, oracleId: string, eventId: string, outcomes: string, at: number): Promise<string>;
  /** All events of local oracles without an attestation, in every account; answers how many. For restored databases. */
  freezeUnattested(at: number): Promise<number>;
  /** Its oracle's URL was asked at a time, and is asked again at `next`, where a contract waits for it. Epoch milliseconds both. */
  polled(accountId: string, oracleId: string, eventId: string, asked: { at: number; next: number }): Promise<void>;
  /** Not asked for before `at` (epoch milliseconds); null: not at all, unless a contract waits for it. */
  pollLater(accountId: string, oracleId: string, eventId: string, at: number | null): Promise<void>;
  /** A contract that begins to wait sees to it that its events are asked for; this does it for all of every account, whatever was missed. */
  pollAwaited(): Promise<void>;
}

export interface AttestationRepository {
  /** Leaves the same bytes, or the same outcomes of the event, as they stand; answers whether it is new. */
  insert(attestation: AttestationRecord): Promise<boolean>;
  find(accountId: string, attestationId: string): Promise<AttestationRecord | null>;
  /** Of one event, oldest first: more than one is an equivocation. */
  ofEvent(accountId: string, oracleId: string, eventId: string): Promise<AttestationRecord[]>;
  list(
    accountId: string,
    filter: { oracleId?: string; eventId?: string; equivocated?: boolean },
    page: PageRequest,
  ): Promise<Page<AttestationRecord>>;
}
