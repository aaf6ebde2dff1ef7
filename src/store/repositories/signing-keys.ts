import type { Selectable } from 'kysely';
import type { KeyOwner, SigningKeyRecord, SigningKeyRepository } from '../interfaces/signing-keys.ts';
import { insertRows } from '../queries/insert-rows.ts';
import { newestFirst } from '../queries/newest-first.ts';
import { prepared } from '../queries/prepared.ts';
import type { Session } from '../queries/session.ts';
import type { Schema } from '../schema.ts';
import { bigintOrNull, numberOrNull } from './column-values.ts';

const insertKeys = insertRows(
  'signing_keys',
  [
    'key_id',
    'account_id',
    'credential_kind',
    'credential_id',
    'name',
    'algorithm',
    'public_jwk',
    'revoked_at',
    'last_used_at',
    'created_at',
  ],
  'on conflict (key_id) do nothing',
);
const byKeyId = prepared((db, p: { keyId: string }) =>
  db.selectFrom('signing_keys').selectAll().where('key_id', '=', p.keyId),
);
const ofAccount = prepared((db, p: { accountId: string; keyId: string }) =>
  db.selectFrom('signing_keys').selectAll().where('key_id', '=', p.keyId).where('account_id', '=', p.accountId),
);
const standing = prepared((db, p: KeyOwner) =>
  db
    .selectFrom('signing_keys')
    .select((select) => select.fn.countAll<bigint>().as('count'))
    .where('account_id', '=', p.accountId)
    .where('credential_kind', '=', p.kind)
    .where('credential_id', '=', p.id)
    .where('revoked_at', 'is', null),
);
const revokeKey = prepared((db, p: { accountId: string; keyId: string; at: bigint }) =>
  db
    .updateTable('signing_keys')
    .set({ revoked_at: p.at })
    .where('key_id', '=', p.keyId)
    .where('account_id', '=', p.accountId)
    .where('revoked_at', 'is', null),
);
const revokeKeys = prepared((db, p: KeyOwner & { at: bigint }) =>
  db
    .updateTable('signing_keys')
    .set({ revoked_at: p.at })
    .where('account_id', '=', p.accountId)
    .where('credential_kind', '=', p.kind)
    .where('credential_id', '=', p.id)
    .where('revoked_at', 'is', null),
);
const touchKey = prepared((db, p: { accountId: string; keyId: string; at: bigint }) =>
  db
    .updateTable('signing_keys')
    .set({ last_used_at: p.at })
    .where('key_id', '=', p.keyId)
    .where('account_id', '=', p.accountId),
);

const toSigningKey = (row: Selectable<Schema['signing_keys']>): SigningKeyRecord => ({
  keyId: row.key_id,
  accountId: row.account_id,
  credentialKind: row.credential_kind as SigningKeyRecord['credentialKind'],
  credentialId: row.credential_id,
  name: row.name,
  algorithm: row.algorithm as SigningKeyRecord['algorithm'],
  publicJwk: JSON.parse(row.public_jwk) as SigningKeyRecord['publicJwk'],
  revokedAt: numberOrNull(row.revoked_at),
  lastUsedAt: numberOrNull(row.last_used_at),
  createdAt: Number(row.created_at),
});

export function signingKeyRepository(session: Session): SigningKeyRepository {
  const noted = (changed: bigint): bigint => {
    if (changed > 0n) session.note('credentials');
    return changed;
  };
  return {
    insert: async (key) => {
      const { changes } = await insertKeys(session, [
        {
          key_id: key.keyId,
          account_id: key.accountId,
          credential_kind: key.credentialKind,
          credential_id: key.credentialId,
          name: key.name,
          algorithm: key.algorithm,
          public_jwk: JSON.stringify(key.publicJwk),
          revoked_at: bigintOrNull(key.revokedAt),
          last_used_at: bigintOrNull(key.lastUsedAt),
          created_at: BigInt(key.createdAt),
        },
      ]);
      // Who could not sign before now can.
      return noted(changes) > 0n;
    },
    find: async (accountId, keyId) => {
      const row = await ofAccount.first(session, { accountId, keyId });
      return row && toSigningKey(row);
    },
    findByKeyId: async (keyId) => {
      const row = await byKeyId.first(session, { keyId });
      return row && toSigningKey(row);
    },
    page: async (accountId, filter, page) => {
      let matching = session.db.selectFrom('signing_keys').where('account_id', '=', accountId);
      const { owner, revoked } = filter;
      if (owner !== undefined) {
        matching = matching.where('credential_kind', '=', owner.kind).where('credential_id', '=', owner.id);
      }
      if (revoked !== undefined) matching = matching.where('revoked_at', revoked ? 'is not' : 'is', null);
      return newestFirst('signing keys', page, {
        rows: (start, limit) => {
          let rows = matching.selectAll().orderBy('created_at', 'desc').orderBy('key_id', 'desc').limit(limit);
          if ('offset' in start) rows = rows.offset(start.offset);
          else {
            const { createdAt, id } = start.before;
            rows = rows.where((where) =>
              where.or([
                where('created_at', '<', createdAt),
                where.and([where('created_at', '=', createdAt), where('key_id', '<', id)]),
              ]),
            );
          }
          return rows.execute();
        },
        count: async () =>
          (await matching.select((select) => select.fn.countAll<bigint>().as('count')).executeTakeFirstOrThrow()).count,
        idOf: (row) => row.key_id,
        toRecord: toSigningKey,
      });
    },
    countStanding: async (owner) => Number((await standing.first(session, owner))?.count ?? 0),
    revoke: async (accountId, keyId, at) =>
      noted(await revokeKey.run(session, { accountId, keyId, at: BigInt(at) })) > 0n,
    revokeAll: async (owner, at) => Number(noted(await revokeKeys.run(session, { ...owner, at: BigInt(at) }))),
    touch: async (accountId, keyId, at) => {
      await touchKey.run(session, { accountId, keyId, at: BigInt(at) });
    },
  };
}
