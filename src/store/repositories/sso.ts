import type { Selectable } from 'kysely';
import type { SsoIdentityRecord, SsoRepository } from '../interfaces/logins.ts';
import { insertRows } from '../queries/insert-rows.ts';
import { prepared } from '../queries/prepared.ts';
import type { Session } from '../queries/session.ts';
import type { Schema } from '../schema.ts';

const insertStates = insertRows('sso_used_states', ['digest', 'expires_at'], 'on conflict (digest) do nothing');
const deleteStates = prepared((db, p: { now: bigint }) =>
  db.deleteFrom('sso_used_states').where('expires_at', '<=', p.now),
);
const insertIdentities = insertRows(
  'sso_identities',
  ['issuer', 'subject', 'account_id', 'user_id', 'created_at'],
  'on conflict do nothing',
);
const bySubject = prepared((db, p: { issuer: string; subject: string }) =>
  db.selectFrom('sso_identities').selectAll().where('issuer', '=', p.issuer).where('subject', '=', p.subject),
);
const byUser = prepared((db, p: { accountId: string; userId: string; issuer: string }) =>
  db
    .selectFrom('sso_identities')
    .selectAll()
    .where('user_id', '=', p.userId)
    .where('account_id', '=', p.accountId)
    .where('issuer', '=', p.issuer),
);
const deleteOf = prepared((db, p: { accountId: string; userId: string }) =>
  db.deleteFrom('sso_identities').where('user_id', '=', p.userId).where('account_id', '=', p.accountId),
);

const toIdentity = (row: Selectable<Schema['sso_identities']>): SsoIdentityRecord => ({
  issuer: row.issuer,
  subject: row.subject,
  accountId: row.account_id,
  userId: row.user_id,
  createdAt: Number(row.created_at),
});

export function ssoRepository(session: Session): SsoRepository {
  return {
    useState: async (digest, expiresAt) => {
      const { changes } = await insertStates(session, [{ digest, expires_at: BigInt(expiresAt) }]);
      return changes > 0n;
    },
    deleteExpiredStates: async (now) => Number(await deleteStates.run(session, { now: BigInt(now) })),
    findIdentity: async (issuer, subject) => {
      const row = await bySubject.first(session, { issuer, subject });
      return row && toIdentity(row);
    },
    findIdentityOf: async (accountId, userId, issuer) => {
      const row = await byUser.first(session, { accountId, userId, issuer });
      return row && toIdentity(row);
    },
    insertIdentity: async (identity) => {
      const { changes } = await insertIdentities(session, [
        {
          issuer: identity.issuer,
          subject: identity.subject,
          account_id: identity.accountId,
          user_id: identity.userId,
          created_at: BigInt(identity.createdAt),
        },
      ]);
      return changes > 0n;
    },
    deleteIdentities: async (accountId, userId) => {
      await deleteOf.run(session, { accountId, userId });
    },
  };
}
