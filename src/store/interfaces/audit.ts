import type { Page, PageRequest } from '../records.ts';

/** The log of what no account is known for. */
export const SERVICE_LOG = 'service';

export interface AuditRecord {
  recordId: string;
  /** The account's id, or SERVICE_LOG. */
  logId: string;
  accountId: string | null;
  time: number;
  credentialKind: string | null;
  credentialId: string | null;
  operation: string;
  /** Id of what was made or changed. */
  target: string | null;
  /** `done`, or the slug of a refusal. */
  outcome: string;
  /** The whole record as canonical JSON (services/audit/audit-entry.ts). */
  entry: string;
}

export interface AuditSeal {
  logId: string;
  /** Dense within the log, from 0. */
  position: number;
  sequence: bigint;
  recordId: string;
  previousHash: Uint8Array;
  leafHash: Uint8Array;
  hash: Uint8Array;
}

export interface SealedAuditRecord extends AuditRecord {
  /** null until the sealer has come to it. */
  seal: AuditSeal | null;
}

export interface UnsealedAuditRecord {
  sequence: bigint;
  recordId: string;
  logId: string;
  entry: string;
}

/** Root of the complete subtree of leaves position * 2^level to (position + 1) * 2^level. */
export interface AuditNode {
  logId: string;
  level: number;
  position: number;
  hash: Uint8Array;
}

export interface AuditHead {
  logId: string;
  size: number;
  /** Signed-note key id (8 hex digits). */
  keyId: string;
  root: Uint8Array;
  time: number;
  note: string;
}

export interface AuditAnchor {
  anchorId: string;
  logId: string;
  size: number;
  root: Uint8Array;
  accountId: string;
  /** As first broadcast; a replacement is found by the transaction's record. */
  txid: string;
  time: number;
}

export interface AuditFilter {
  from?: number | undefined;
  to?: number | undefined;
  operation?: string | undefined;
  credentialId?: string | undefined;
  outcome?: string | undefined;
  target?: string | undefined;
}

/** Whatever the log: `logId` is the account's id or SERVICE_LOG. Nothing here changes or deletes a row; the database refuses it. */
export interface AuditRepository {
  /** Appends what `write` makes at the time given; listeners of onAudit hear of it after the commit. */
  append(write: (time: number) => AuditRecord): Promise<void>;
  find(logId: string, recordId: string): Promise<SealedAuditRecord | null>;
  /** Newest first. */
  list(logId: string, filter: AuditFilter, page: PageRequest): Promise<Page<SealedAuditRecord>>;
  /** Sealed records from `position` on, in order of position, for exports. */
  sealedFrom(logId: string, position: number, limit: number): Promise<(AuditRecord & { seal: AuditSeal })[]>;
  /**
   * Up to `limit` records of all logs without seal, in order of sequence. `mark`: what an earlier call answered; null looks at all records.
   * The answered mark lets the next call skip what is certainly sealed once all that was answered here has been: on PostgreSQL rows become
   * visible out of order, so it is the oldest transaction still running before the look, and not the highest sequence seen.
   */
  unsealed(mark: bigint | null, limit: number): Promise<{ records: UnsealedAuditRecord[]; mark: bigint }>;
  lastSeal(logId: string): Promise<AuditSeal | null>;
  /** Throws where a position or a record has its seal already: another sealer was there. */
  insertSeals(seals: readonly AuditSeal[]): Promise<void>;
  /** Throws where one is there. */
  insertNodes(nodes: readonly AuditNode[]): Promise<void>;
  /** Hashes of `count` subtrees of one level from `position` on, fewer where fewer are there; level 0: leaf hashes. */
  nodes(logId: string, level: number, position: number, count: number): Promise<Uint8Array[]>;
  /** Leaves one that is there (same log, size and key) as it stands. */
  insertHead(head: AuditHead): Promise<void>;
  /** The largest; of those the newest. */
  lastHead(logId: string): Promise<AuditHead | null>;
  /** The smallest head that covers `position`, under this key. */
  headCovering(logId: string, position: number, keyId: string): Promise<AuditHead | null>;
  insertAnchor(anchor: AuditAnchor): Promise<void>;
  /** Newest first. */
  listAnchors(logId: string, page: PageRequest): Promise<Page<AuditAnchor>>;
}
