import type { AccountId } from '../../core/ids.ts';
import { type RecordOf, type RowOf, table, text, time } from '../queries/columns.ts';
import { insertRows } from '../queries/insert-rows.ts';
import { prepared } from '../queries/prepared.ts';
import { rowsOf } from '../queries/rows-of.ts';
import type { Session } from '../queries/session.ts';

export const ssoIdentities = table('sso_identities', ['issuer', 'subject'], {
  issuer: text(),
  subject: text(),
  accountId: text<AccountId>(),
  userId: text(),
  createdAt: time,
});
export type SsoIdentityRecord = RecordOf<typeof ssoIdentities>;

declare module '../schema.ts' {
  interface Schema {
    /** Sign-ons that came back from the provider, until they would have expired: none comes back twice. */
    sso_used_states: { digest: string; expires_at: bigint };
    sso_identities: RowOf<typeof ssoIdentities>;
  }
}

const insertStates = insertRows('sso_used_states', ['digest', 'expires_at'], 'on conflict (digest) do nothing');
const deleteStates = prepared((db, p: { now: bigint }) =>
  db.deleteFrom('sso_used_states').where('expires_at', '<=', p.now),
);
const identities = rowsOf(ssoIdentities, 'on conflict do nothing');

export function ssoRepository(session: Session) {
  return {
    /** False where it was used before. */
    useState: async (digest: string, expiresAt: number) => {
      const { changes } = await insertStates(session, [{ digest, expires_at: BigInt(expiresAt) }]);
      return changes > 0n;
    },
    deleteExpiredStates: async (now: number) => Number(await deleteStates.run(session, { now: BigInt(now) })),
    findIdentity: (issuer: string, subject: string) => identities.find(session, { issuer, subject }),
    findIdentityOf: (accountId: AccountId, userId: string, issuer: string) =>
      identities.find(session, { accountId, userId, issuer }),
    /** False where the subject or the person is linked already. */
    insertIdentity: async (identity: SsoIdentityRecord) => (await identities.insert(session, [identity])) > 0n,
    deleteIdentities: async (accountId: AccountId, userId: string) => {
      await identities.delete(session, { accountId, userId });
    },
  };
}
