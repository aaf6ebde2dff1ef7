import type { EncryptedSecret } from '../records.ts';

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

/** Hex throughout. */
export interface AnnouncedNonces {
  readonly publicKey: string;
  /** SHA-256 of the event as it is signed. */
  readonly eventDigest: string;
  readonly nonces: readonly string[];
}
