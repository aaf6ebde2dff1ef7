import type { Selectable } from 'kysely';
import type { ApiKeyRepository } from '../interfaces/api-keys.ts';
import { insertRows } from '../queries/insert-rows.ts';
import { newestFirst } from '../queries/newest-first.ts';
import { prepared } from '../queries/prepared.ts';
import type { Session } from '../queries/session.ts';
import type { ApiKeyRecord, Role, Tier } from '../records.ts';
import type { Schema } from '../schema.ts';
import { bigintOrNull, flag, jsonOrNull, numberOrNull, parsedOrNull } from './column-values.ts';

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
  'allowed_ips',
  'require_signature',
  'may_grant',
  'created_by',
  'rotated_to',
  'overlap_ends_at',
  'expires_at',
  'revoked_at',
  'last_used_at',
  'created_at',
]);
const byPrefix = prepared((db, p: { prefix: string }) =>
  db.selectFrom('api_keys').selectAll().where('prefix', '=', p.prefix),
);
const byId = prepared((db, p: { accountId: string; keyId: string }) =>
  db.selectFrom('api_keys').selectAll().where('key_id', '=', p.keyId).where('account_id', '=', p.accountId),
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
const succeedKey = prepared((db, p: { accountId: string; keyId: string; to: string; at: bigint }) =>
  db
    .updateTable('api_keys')
    .set({ rotated_to: p.to, overlap_ends_at: p.at })
    .where('key_id', '=', p.keyId)
    .where('account_id', '=', p.accountId)
    .where('rotated_to', 'is', null)
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
  allowedIps: parsedOrNull(row.allowed_ips),
  requireSignature: row.require_signature === 1n,
  mayGrant: row.may_grant === 1n,
  createdBy: row.created_by,
  rotatedTo: row.rotated_to,
  overlapEndsAt: numberOrNull(row.overlap_ends_at),
  expiresAt: numberOrNull(row.expires_at),
  revokedAt: numberOrNull(row.revoked_at),
  lastUsedAt: numberOrNull(row.last_used_at),
  createdAt: Number(row.created_at),
});

export function apiKeyRepository(session: Session): ApiKeyRepository {
  const noteIf = (changed: bigint): boolean => {
    if (changed > 0n) session.note('credentials');
    return changed > 0n;
  };
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
          allowed_ips: jsonOrNull(key.allowedIps),
          require_signature: flag(key.requireSignature),
          may_grant: flag(key.mayGrant),
          created_by: key.createdBy,
          rotated_to: key.rotatedTo,
          overlap_ends_at: bigintOrNull(key.overlapEndsAt),
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
    find: async (accountId, keyId) => {
      const row = await byId.first(session, { accountId, keyId });
      return row && toApiKey(row);
    },
    list: async (accountId) => (await byAccount.all(session, { accountId })).map(toApiKey),
    page: async (accountId, filter, page) => {
      let matching = session.db.selectFrom('api_keys').where('account_id', '=', accountId);
      if (filter.name !== undefined) matching = matching.where('name', '=', filter.name);
      if (filter.role !== undefined) matching = matching.where('role', '=', filter.role);
      const { active } = filter;
      if (active !== undefined) {
        matching = matching.where((eb) => {
          const at = BigInt(active.at);
          const stands = eb.and([
            eb('revoked_at', 'is', null),
            eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', at)]),
            eb.or([eb('overlap_ends_at', 'is', null), eb('overlap_ends_at', '>', at)]),
          ]);
          return active.is ? stands : eb.not(stands);
        });
      }
      return await newestFirst('api-keys', page, {
        rows: async (start, limit) => {
          const rows = matching.selectAll().orderBy('created_at', 'desc').orderBy('key_id', 'desc').limit(limit);
          if ('offset' in start) return await rows.offset(start.offset).execute();
          const { createdAt, id } = start.before;
          return await rows
            .where((eb) => eb(eb.refTuple('created_at', 'key_id'), '<', eb.tuple(createdAt, id)))
            .execute();
        },
        count: async () =>
          (await matching.select((eb) => eb.fn.countAll<bigint>().as('count')).executeTakeFirstOrThrow()).count,
        idOf: (row) => row.key_id,
        toRecord: toApiKey,
      });
    },
    revoke: async (accountId, keyId, at) => noteIf(await revokeKey.run(session, { accountId, keyId, at: BigInt(at) })),
    succeed: async (accountId, keyId, { keyId: to, overlapEndsAt }) =>
      noteIf(await succeedKey.run(session, { accountId, keyId, to, at: BigInt(overlapEndsAt) })),
    touch: async (accountId, keyId, at) => {
      await touchKey.run(session, { accountId, keyId, at: BigInt(at) });
    },
  };
}
