import type { Generated } from 'kysely';
import { bytes, integer, orNull, type RecordOf, type RowOf, table, text, time, whole } from './columns.ts';

/** The log of what no account is known for. */
export const SERVICE_LOG = 'service';

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

export interface AuditFilter {
  from?: number | undefined;
  to?: number | undefined;
  operation?: string | undefined;
  credentialId?: string | undefined;
  outcome?: string | undefined;
  target?: string | undefined;
}

/** `entry` is what is hashed. The other columns are its index. */
export const auditRecords = table('audit_records', ['recordId'], {
  recordId: text(),
  /** The account's id, or SERVICE_LOG. */
  logId: text(),
  accountId: orNull(text()),
  time,
  credentialKind: orNull(text()),
  credentialId: orNull(text()),
  operation: text(),
  /** Id of what was made or changed. */
  target: orNull(text()),
  /** `done`, or the slug of a refusal. */
  outcome: text(),
  /** The whole record as canonical JSON (services/audit/audit-entry.ts). */
  entry: text(),
});
export type AuditRecord = RecordOf<typeof auditRecords>;

export const auditSeals = table('audit_seals', ['position'], {
  logId: text(),
  /** Dense within the log, from 0. */
  position: integer,
  sequence: whole,
  recordId: text(),
  previousHash: bytes,
  /** RFC 6962 leaf hash of the entry. */
  leafHash: bytes,
  hash: bytes,
});
export type AuditSeal = RecordOf<typeof auditSeals>;

/** Roots of complete subtrees of 2^level leaves, at the levels 8, 16, 24, … */
export const auditNodes = table('audit_nodes', ['level', 'position'], {
  logId: text(),
  level: integer,
  position: integer,
  hash: bytes,
});
/** Root of the complete subtree of leaves position * 2^level to (position + 1) * 2^level. */
export type AuditNode = RecordOf<typeof auditNodes>;

export const auditHeads = table('audit_heads', ['size', 'keyId'], {
  logId: text(),
  size: integer,
  /** Signed-note key id (8 hex digits). */
  keyId: text(),
  root: bytes,
  time,
  /** C2SP signed note. */
  note: text(),
});
export type AuditHead = RecordOf<typeof auditHeads>;

/** Transactions that carry a head in an OP_RETURN output. */
export const auditAnchors = table('audit_anchors', ['anchorId'], {
  anchorId: text(),
  logId: text(),
  size: integer,
  root: bytes,
  accountId: text(),
  /** As first broadcast; a replacement is found by the transaction's record. */
  txid: text(),
  time,
});
export type AuditAnchor = RecordOf<typeof auditAnchors>;

/** The audit log. Rows of all of these are only ever added: triggers refuse anything else. */
export interface AuditTables {
  audit_records: RowOf<typeof auditRecords> & {
    sequence: Generated<bigint>;
    /** PostgreSQL: the transaction that wrote the row. 0 on SQLite, where rows commit in the order of their sequence. */
    written_by: Generated<bigint>;
  };
  audit_seals: RowOf<typeof auditSeals>;
  audit_nodes: RowOf<typeof auditNodes>;
  audit_heads: RowOf<typeof auditHeads>;
  audit_anchors: RowOf<typeof auditAnchors>;
}
