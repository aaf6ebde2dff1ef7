import type { Selectable } from 'kysely';
import { insertRows } from '../queries/insert-rows.ts';
import { prepared } from '../queries/prepared.ts';
import type { Session } from '../queries/session.ts';
import type { ApiKeyRecord, Role, Tier } from '../records.ts';
import type { Schema } from '../schema.ts';
import type { ApiKeyRepository } from '../store.ts';
import { bigintOrNull, jsonOrNull, numberOrNull, parsedOrNull } from './column-values.ts';

const insertKeys = insertRows('api_keys', [
  'key_id',
  'account_id',
  'name',
  'prefix',
  'secret_hash',
  'role',
  'scopes',
  'tier',
  'limits',
  'public_jwk',
  'jwk_thumbprint',
  'allowed_ips',
  'expires_at',
  'revoked_at',
  'last_used_at',
  'created_at',
]);
const byPrefix = prepared((db, p: { prefix: string }) =>
  db.selectFrom('api_keys').selectAll().where('prefix', '=', p.prefix),
);
const byAccount = prepared((db, p: { accountId: string }) =>
  db
    .selectFrom('api_keys')
    .selectAll()
    .where('account_id', '=', p.accountId)
    .orderBy('created_at', 'desc')
    .orderBy('key_id', 'desc'),
);
const revokeKey = prepared((db, p: { accountId: string; keyId: string; at: bigint }) =>
  db
    .updateTable('api_keys')
    .set({ revoked_at: p.at })
    .where('key_id', '=', p.keyId)
    .where('account_id', '=', p.accountId)
    .where('revoked_at', 'is', null),
);
const touchKey = prepared((db, p: { accountId: string; keyId: string; at: bigint }) =>
  db
    .updateTable('api_keys')
    .set({ last_used_at: p.at })
    .where('key_id', '=', p.keyId)
    .where('account_id', '=', p.accountId),
);

const toApiKey = (row: Selectable<Schema['api_keys']>): ApiKeyRecord => ({
  keyId: row.key_id,
  accountId: row.account_id,
  name: row.name,
  prefix: row.prefix,
  secretHash: row.secret_hash,
  role: row.role as Role,
  scopes: JSON.parse(row.scopes) as string[],
  tier: row.tier as Tier,
  limits: parsedOrNull(row.limits),
  publicJwk: parsedOrNull(row.public_jwk),
  jwkThumbprint: row.jwk_thumbprint,
  allowedIps: parsedOrNull(row.allowed_ips),
  expiresAt: numberOrNull(row.expires_at),
  revokedAt: numberOrNull(row.revoked_at),
  lastUsedAt: numberOrNull(row.last_used_at),
  createdAt: Number(row.created_at),
});

export function apiKeyRepository(session: Session): ApiKeyRepository {
  return {
    insert: async (key) => {
      await insertKeys(session, [
        {
          key_id: key.keyId,
          account_id: key.accountId,
          name: key.name,
          prefix: key.prefix,
          secret_hash: key.secretHash,
          role: key.role,
          scopes: JSON.stringify(key.scopes),
          tier: key.tier,
          limits: jsonOrNull(key.limits),
          public_jwk: jsonOrNull(key.publicJwk),
          jwk_thumbprint: key.jwkThumbprint,
          allowed_ips: jsonOrNull(key.allowedIps),
          expires_at: bigintOrNull(key.expiresAt),
          revoked_at: bigintOrNull(key.revokedAt),
          last_used_at: bigintOrNull(key.lastUsedAt),
          created_at: BigInt(key.createdAt),
        },
      ]);
    },
    findByPrefix: async (prefix) => {
      const row = await byPrefix.first(session, { prefix });
      return row && toApiKey(row);
    },
    list: async (accountId) => (await byAccount.all(session, { accountId })).map(toApiKey),
    revoke: async (accountId, keyId, at) => (await revokeKey.run(session, { accountId, keyId, at: BigInt(at) })) > 0n,
    touch: async (accountId, keyId, at) => {
      await touchKey.run(session, { accountId, keyId, at: BigInt(at) });
    },
  };
}
