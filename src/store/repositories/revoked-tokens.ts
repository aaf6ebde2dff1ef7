import type { RevokedTokenRepository } from '../interfaces/revoked-tokens.ts';
import { insertRows } from '../queries/insert-rows.ts';
import { prepared } from '../queries/prepared.ts';
import type { Session } from '../queries/session.ts';

const insertTokens = insertRows('revoked_tokens', ['token_id', 'account_id', 'expires_at'], 'on conflict do nothing');
const byId = prepared((db, p: { tokenId: string }) =>
  db.selectFrom('revoked_tokens').select('token_id').where('token_id', '=', p.tokenId),
);
const deleteOld = prepared((db, p: { now: bigint }) =>
  db.deleteFrom('revoked_tokens').where('expires_at', '<=', p.now),
);

export function revokedTokenRepository(session: Session): RevokedTokenRepository {
  return {
    insert: async ({ tokenId, accountId, expiresAt }) => {
      await insertTokens(session, [{ token_id: tokenId, account_id: accountId, expires_at: BigInt(expiresAt) }]);
      session.note('credentials');
    },
    has: async (tokenId) => (await byId.first(session, { tokenId })) !== null,
    deleteExpired: async (now) => Number(await deleteOld.run(session, { now: BigInt(now) })),
  };
}
