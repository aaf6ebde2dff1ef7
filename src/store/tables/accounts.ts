import type { Generated } from 'kysely';
import type { Role, Tier } from '../../core/access.ts';
import type { AccountRecord, ApiKeyRecord, IdempotencyRecord } from '../records.ts';
import { flag, integer, json, orNull, type RowOf, table, text, time } from './columns.ts';

export const accounts = table<AccountRecord>()('accounts', ['accountId'], {
  accountId: text(),
  name: text(),
  platform: flag,
  tier: text<Tier>(),
  createdAt: time,
  frozenAt: orNull(time),
  frozenReason: orNull(text()),
});

export const apiKeys = table<ApiKeyRecord>()('api_keys', ['keyId'], {
  keyId: text(),
  accountId: text(),
  name: text(),
  /** The 8 public characters in the middle of `ak_<8>_<43>`: what the lookup goes by. */
  prefix: text(),
  /** SHA-256 of the whole key, hex. */
  secretHash: text(),
  role: text<Role>(),
  scopes: json<readonly string[]>(),
  tier: text<Tier>(),
  limits: orNull(json<Readonly<Record<string, number>>>()),
  allowedIps: orNull(json<readonly string[]>()),
  requireSignature: flag,
  mayGrant: flag,
  createdBy: orNull(text()),
  rotatedTo: orNull(text()),
  overlapEndsAt: orNull(time),
  expiresAt: orNull(time),
  revokedAt: orNull(time),
  lastUsedAt: orNull(time),
  createdAt: time,
});

export const idempotencyKeys = table<IdempotencyRecord>()('idempotency_keys', ['key'], {
  accountId: text(),
  key: text(),
  fingerprint: text(),
  operation: text(),
  target: orNull(text()),
  status: integer,
  body: text(),
  createdAt: time,
  expiresAt: time,
});

/** Accounts, the keys that act for them, and the answers that are kept for their requests. */
export interface AccountTables {
  accounts: RowOf<typeof accounts> & { transaction_count: Generated<bigint>; script_count: Generated<bigint> };
  api_keys: RowOf<typeof apiKeys>;
  idempotency_keys: RowOf<typeof idempotencyKeys>;
}
