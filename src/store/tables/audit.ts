import type { Generated } from 'kysely';
import type { AuditAnchor, AuditHead, AuditNode, AuditRecord, AuditSeal } from '../interfaces/audit.ts';
import { bytes, integer, orNull, type RowOf, table, text, time, whole } from './columns.ts';

/** `entry` is what is hashed. The other columns are its index. */
export const auditRecords = table<AuditRecord>()('audit_records', ['recordId'], {
  recordId: text(),
  logId: text(),
  accountId: orNull(text()),
  time,
  credentialKind: orNull(text()),
  credentialId: orNull(text()),
  operation: text(),
  target: orNull(text()),
  outcome: text(),
  entry: text(),
});

export const auditSeals = table<AuditSeal>()('audit_seals', ['position'], {
  logId: text(),
  position: integer,
  sequence: whole,
  recordId: text(),
  previousHash: bytes,
  /** RFC 6962 leaf hash of the entry. */
  leafHash: bytes,
  hash: bytes,
});

/** Roots of complete subtrees of 2^level leaves, at the levels 8, 16, 24, … */
export const auditNodes = table<AuditNode>()('audit_nodes', ['level', 'position'], {
  logId: text(),
  level: integer,
  position: integer,
  hash: bytes,
});

export const auditHeads = table<AuditHead>()('audit_heads', ['size', 'keyId'], {
  logId: text(),
  size: integer,
  keyId: text(),
  root: bytes,
  time,
  /** C2SP signed note. */
  note: text(),
});

/** Transactions that carry a head in an OP_RETURN output. */
export const auditAnchors = table<AuditAnchor>()('audit_anchors', ['anchorId'], {
  anchorId: text(),
  logId: text(),
  size: integer,
  root: bytes,
  accountId: text(),
  txid: text(),
  time,
});

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
