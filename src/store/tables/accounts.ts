import type { Generated } from 'kysely';
import type { Role, Tier } from '../../core/access.ts';
import { flag, integer, json, orNull, type RecordOf, type RowOf, table, text, time } from './columns.ts';

export const accounts = table('accounts', ['accountId'], {
  accountId: text(),
  name: text(),
  /** The account that runs the service: its administrators make accounts. */
  platform: flag,
  /** The highest that its credentials may have. */
  tier: text<Tier>(),
  createdAt: time,
  frozenAt: orNull(time),
  frozenReason: orNull(text()),
});
export type AccountRecord = RecordOf<typeof accounts>;

export const apiKeys = table('api_keys', ['keyId'], {
  keyId: text(),
  accountId: text(),
  name: text(),
  /** The 8 public characters in the middle of `ak_<8>_<43>`: what the lookup goes by. */
  prefix: text(),
  /** SHA-256 of the whole key, hex. */
  secretHash: text(),
  role: text<Role>(),
  /** `<plural noun>:read|write`, or `*` for all. */
  scopes: json<readonly string[]>(),
  tier: text<Tier>(),
  limits: orNull(json<Readonly<Record<string, number>>>()),
  allowedIps: orNull(json<readonly string[]>()),
  /** False only where an administrator issued it so under SIGNATURE_POLICY=per-key. */
  requireSignature: flag,
  /** It may give what goes beyond itself (services/credentials/grants.ts). */
  mayGrant: flag,
  /** The credential that made it; null for the first start and the command line. */
  createdBy: orNull(text()),
  /** Its successor, and until when the key itself still works beside it. */
  rotatedTo: orNull(text()),
  overlapEndsAt: orNull(time),
  expiresAt: orNull(time),
  revokedAt: orNull(time),
  lastUsedAt: orNull(time),
  createdAt: time,
});
export type ApiKeyRecord = RecordOf<typeof apiKeys>;

export const idempotencyKeys = table('idempotency_keys', ['key'], {
  accountId: text(),
  key: text(),
  /** SHA-256 over method, path, query and body, hex. */
  fingerprint: text(),
  /** Operation id. */
  operation: text(),
  target: orNull(text()),
  status: integer,
  body: text(),
  createdAt: time,
  expiresAt: time,
});
export type IdempotencyRecord = RecordOf<typeof idempotencyKeys>;

/** Accounts, the keys that act for them, and the answers that are kept for their requests. */
export interface AccountTables {
  accounts: RowOf<typeof accounts> & { transaction_count: Generated<bigint>; script_count: Generated<bigint> };
  api_keys: RowOf<typeof apiKeys>;
  idempotency_keys: RowOf<typeof idempotencyKeys>;
}
