import type { RefreshTokenRepository } from '../interfaces/sessions.ts';
import { rowsOf } from '../queries/rows-of.ts';
import type { Session } from '../queries/session.ts';
import { refreshTokens } from '../tables/users.ts';

const tokens = rowsOf(refreshTokens);

export function refreshTokenRepository(session: Session): RefreshTokenRepository {
  return {
    insert: async (token) => {
      await tokens.insert(session, [token]);
    },
    find: (digest) => tokens.find(session, { digest }),
    spend: async (accountId, digest, at, successor) =>
      (await tokens.update(session, { accountId, digest, spentAt: null }, { spentAt: at, successor })) > 0n,
  };
}
