import type { RevokedTokenRepository } from '../interfaces/revoked-tokens.ts';
import { prepared } from '../queries/prepared.ts';
import { rowsOf } from '../queries/rows-of.ts';
import type { Session } from '../queries/session.ts';
import { revokedTokens } from '../tables/oauth.ts';

const tokens = rowsOf(revokedTokens, 'on conflict do nothing');
const deleteOld = prepared((db, p: { now: bigint }) =>
  db.deleteFrom('revoked_tokens').where('expires_at', '<=', p.now),
);

export function revokedTokenRepository(session: Session): RevokedTokenRepository {
  return {
    insert: async (token) => {
      await tokens.insert(session, [token]);
      session.note('credentials');
    },
    has: async (tokenId) => (await tokens.find(session, { tokenId })) !== null,
    deleteExpired: async (now) => Number(await deleteOld.run(session, { now: BigInt(now) })),
  };
}
