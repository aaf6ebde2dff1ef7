import { prepared } from '../queries/prepared.ts';
import { rowsOf } from '../queries/rows-of.ts';
import type { Session } from '../queries/session.ts';
import type { RevokedToken } from '../tables/oauth.ts';
import { revokedTokens } from '../tables/oauth.ts';

const tokens = rowsOf(revokedTokens, 'on conflict do nothing');
const deleteOld = prepared((db, p: { now: bigint }) =>
  db.deleteFrom('revoked_tokens').where('expires_at', '<=', p.now),
);

export function revokedTokenRepository(session: Session) {
  return {
    /** Leaves a token that is revoked already as it stands. */
    insert: async (token: RevokedToken) => {
      await tokens.insert(session, [token]);
      session.note('credentials');
    },
    /** Whatever the account: the token names it, and is looked up before anybody is known. */
    has: async (tokenId: string) => (await tokens.find(session, { tokenId })) !== null,
    /** Answers how many were deleted. */
    deleteExpired: async (now: number) => Number(await deleteOld.run(session, { now: BigInt(now) })),
  };
}
