import type { AccountId } from '../../core/ids.ts';
import { orNull, type RecordOf, type RowOf, table, text, time } from '../queries/columns.ts';
import { prepared } from '../queries/prepared.ts';
import { rowsOf } from '../queries/rows-of.ts';
import type { Session } from '../queries/session.ts';

export const passwordResets = table('password_resets', ['digest'], {
  /** SHA-256, hex. */
  digest: text(),
  accountId: text<AccountId>(),
  userId: text(),
  createdAt: time,
  expiresAt: time,
  usedAt: orNull(time),
});
/** What logging in needs beside people and their sessions: one-time links, failures, single sign-on under way. */
export type PasswordResetRecord = RecordOf<typeof passwordResets>;

declare module '../schema.ts' {
  interface Schema {
    password_resets: RowOf<typeof passwordResets>;
  }
}

const resets = rowsOf(passwordResets);
const useReset = prepared((db, p: { accountId: AccountId; digest: string; at: bigint }) =>
  db
    .updateTable('password_resets')
    .set({ used_at: p.at })
    .where('digest', '=', p.digest)
    .where('account_id', '=', p.accountId)
    .where('used_at', 'is', null)
    .where('expires_at', '>', p.at),
);
const deleteExpired = prepared((db, p: { now: bigint }) =>
  db.deleteFrom('password_resets').where('expires_at', '<=', p.now),
);

export function passwordResetRepository(session: Session) {
  return {
    /** Takes the place of the person's earlier ones. */
    replace: async (reset: PasswordResetRecord) => {
      const { accountId, userId } = reset;
      await resets.delete(session, { accountId, userId });
      await resets.insert(session, [reset]);
    },
    /** Whatever the account; used and expired ones too. */
    find: (digest: string) => resets.find(session, { digest }),
    /** False where it was used, has expired or is gone. */
    use: async (accountId: AccountId, digest: string, at: number) =>
      (await useReset.run(session, { accountId, digest, at: BigInt(at) })) > 0n,
    deleteAll: async (accountId: AccountId, userId: string) => {
      await resets.delete(session, { accountId, userId });
    },
    deleteExpired: async (now: number) => Number(await deleteExpired.run(session, { now: BigInt(now) })),
  };
}
