import type { PasswordResetRepository } from '../interfaces/logins.ts';
import { prepared } from '../queries/prepared.ts';
import { rowsOf } from '../queries/rows-of.ts';
import type { Session } from '../queries/session.ts';
import { passwordResets } from '../tables/users.ts';

const resets = rowsOf(passwordResets);
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
      await resets.delete(session, { accountId, userId });
      await resets.insert(session, [reset]);
    },
    find: (digest) => resets.find(session, { digest }),
    use: async (accountId, digest, at) => (await useReset.run(session, { accountId, digest, at: BigInt(at) })) > 0n,
    deleteAll: async (accountId, userId) => {
      await resets.delete(session, { accountId, userId });
    },
    deleteExpired: async (now) => Number(await deleteExpired.run(session, { now: BigInt(now) })),
  };
}
