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
