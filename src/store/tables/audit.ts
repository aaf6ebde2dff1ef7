/** The audit log. Rows of all of these are only ever added: triggers refuse anything else. */
import type { Generated } from 'kysely';

export interface AuditTables {
  audit_records: {
    sequence: Generated<bigint>;
    record_id: string;
    /** The account's id, or `service`. */
    log_id: string;
    account_id: string | null;
    time: bigint;
    credential_kind: string | null;
    credential_id: string | null;
    operation: string;
    target: string | null;
    outcome: string;
    /** The whole record as canonical JSON: what is hashed. The other columns are its index. */
    entry: string;
    /** PostgreSQL: the transaction that wrote the row. 0 on SQLite, where rows commit in the order of their sequence. */
    written_by: Generated<bigint>;
  };
  audit_seals: {
    log_id: string;
    /** Dense, from 0. */
    position: bigint;
    sequence: bigint;
    record_id: string;
    previous_hash: Uint8Array;
    /** RFC 6962 leaf hash of the entry. */
    leaf_hash: Uint8Array;
    hash: Uint8Array;
  };
  /** Roots of complete subtrees of 2^level leaves, at the levels 8, 16, 24, … */
  audit_nodes: { log_id: string; level: bigint; position: bigint; hash: Uint8Array };
  audit_heads: {
    log_id: string;
    size: bigint;
    key_id: string;
    root: Uint8Array;
    time: bigint;
    /** C2SP signed note. */
    note: string;
  };
  /** Transactions that carry a head in an OP_RETURN output. */
  audit_anchors: {
    anchor_id: string;
    log_id: string;
    size: bigint;
    root: Uint8Array;
    account_id: string;
    txid: string;
    time: bigint;
  };
}
