import type { Selectable } from 'kysely';
import type { TokenKeyRecord, TokenKeyRepository } from '../interfaces/token-keys.ts';
import { insertRows } from '../queries/insert-rows.ts';
import { prepared } from '../queries/prepared.ts';
import type { Session } from '../queries/session.ts';
import type { Schema } from '../schema.ts';
import { bigintOrNull, numberOrNull } from './column-values.ts';

const insertKeys = insertRows(
  'token_keys',
  ['generation', 'key_id', 'public_jwk', 'sealed_private_key', 'signs_from', 'revoked_at', 'created_at'],
  'on conflict do nothing',
);
const all = prepared((db) => db.selectFrom('token_keys').selectAll().orderBy('generation'));
const revokeKey = prepared((db, p: { keyId: string; at: bigint }) =>
  db.updateTable('token_keys').set({ revoked_at: p.at }).where('key_id', '=', p.keyId).where('revoked_at', 'is', null),
);
const forget = prepared((db, p: { keyId: string }) =>
  db.updateTable('token_keys').set({ sealed_private_key: null }).where('key_id', '=', p.keyId),
);

const toRecord = (row: Selectable<Schema['token_keys']>): TokenKeyRecord => ({
  generation: Number(row.generation),
  keyId: row.key_id,
  publicJwk: JSON.parse(row.public_jwk) as TokenKeyRecord['publicJwk'],
  sealedPrivateKey: row.sealed_private_key,
  signsFrom: Number(row.signs_from),
  revokedAt: numberOrNull(row.revoked_at),
  createdAt: Number(row.created_at),
});

export function tokenKeyRepository(session: Session): TokenKeyRepository {
  return {
    list: async () => (await all.all(session, {})).map(toRecord),
    insert: async (key) => {
      const { changes } = await insertKeys(session, [
        {
          generation: BigInt(key.generation),
          key_id: key.keyId,
          public_jwk: JSON.stringify(key.publicJwk),
          sealed_private_key: key.sealedPrivateKey,
          signs_from: BigInt(key.signsFrom),
          revoked_at: bigintOrNull(key.revokedAt),
          created_at: BigInt(key.createdAt),
        },
      ]);
      if (changes > 0n) session.note('credentials');
      return changes > 0n;
    },
    revoke: async (keyId, at) => {
      const revoked = (await revokeKey.run(session, { keyId, at: BigInt(at) })) > 0n;
      if (revoked) session.note('credentials');
      return revoked;
    },
    forgetPrivateKey: async (keyId) => {
      await forget.run(session, { keyId });
    },
  };
}
