import { rowsOf } from '../queries/rows-of.ts';
import type { Session } from '../queries/session.ts';
import type { RefreshTokenRecord } from '../tables/users.ts';
import { refreshTokens } from '../tables/users.ts';

const tokens = rowsOf(refreshTokens);

export function refreshTokenRepository(session: Session) {
  return {
    insert: async (token: RefreshTokenRecord) => {
      await tokens.insert(session, [token]);
    },
    /** Whatever the account: this is how it becomes known. */
    find: (digest: string) => tokens.find(session, { digest }),
    /** False where another did it first: then the job rolls nothing back and reads who did. */
    spend: async (accountId: string, digest: string, at: number, successor: string) =>
      (await tokens.update(session, { accountId, digest, spentAt: null }, { spentAt: at, successor })) > 0n,
  };
}
