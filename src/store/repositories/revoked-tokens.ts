import type { AccountId } from '../../core/ids.ts';
import { type RecordOf, type RowOf, table, text, time } from '../queries/columns.ts';
import { prepared } from '../queries/prepared.ts';
import { rowsOf } from '../queries/rows-of.ts';
import type { Session } from '../queries/session.ts';

/** Of no use once the token has ended by itself. */
export const revokedTokens = table('revoked_tokens', ['tokenId'], {
  /** The `jti` claim. */
  tokenId: text(),
  accountId: text<AccountId>(),
  expiresAt: time,
});
/** Access tokens revoked before their end, each until it would have ended by itself. */
export type RevokedToken = RecordOf<typeof revokedTokens>;

declare module '../schema.ts' {
  interface Schema {
    revoked_tokens: RowOf<typeof revokedTokens>;
  }
}

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
