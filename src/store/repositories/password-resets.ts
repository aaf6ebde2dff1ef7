import type { PasswordResetRepository } from '../interfaces/logins.ts';
import { insertRows } from '../queries/insert-rows.ts';
import { prepared } from '../queries/prepared.ts';
import type { Session } from '../queries/session.ts';
import { bigintOrNull, numberOrNull } from './column-values.ts';

const insertResets = insertRows('password_resets', [
  'digest',
  'account_id',
  'user_id',
  'created_at',
  'expires_at',
  'used_at',
]);
const findReset = prepared((db, p: { digest: string }) =>
  db.selectFrom('password_resets').selectAll().where('digest', '=', p.digest),
);
const deleteResets = prepared((db, p: { accountId: string; userId: string }) =>
  db.deleteFrom('password_resets').where('user_id', '=', p.userId).where('account_id', '=', p.accountId),
);
const useReset = prepared((db, p: { accountId: string; digest: string; at: bigint }) =>
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

export function passwordResetRepository(session: Session): PasswordResetRepository {
  return {
    replace: async (reset) => {
      const { accountId, userId } = reset;
      await deleteResets.run(session, { accountId, userId });
      await insertResets(session, [
        {
          digest: reset.digest,
          account_id: accountId,
          user_id: userId,
          created_at: BigInt(reset.createdAt),
          expires_at: BigInt(reset.expiresAt),
          used_at: bigintOrNull(reset.usedAt),
        },
      ]);
    },
    find: async (digest) => {
      const row = await findReset.first(session, { digest });
      return (
        row && {
          digest: row.digest,
          accountId: row.account_id,
          userId: row.user_id,
          createdAt: Number(row.created_at),
          expiresAt: Number(row.expires_at),
          usedAt: numberOrNull(row.used_at),
        }
      );
    },
    use: async (accountId, digest, at) => (await useReset.run(session, { accountId, digest, at: BigInt(at) })) > 0n,
    deleteAll: async (accountId, userId) => {
      await deleteResets.run(session, { accountId, userId });
    },
    deleteExpired: async (now) => Number(await deleteExpired.run(session, { now: BigInt(now) })),
  };
}
