import type { RefreshTokenRepository } from '../interfaces/sessions.ts';
import { insertRows } from '../queries/insert-rows.ts';
import { prepared } from '../queries/prepared.ts';
import type { Session } from '../queries/session.ts';
import { bigintOrNull, numberOrNull } from './column-values.ts';

const insertTokens = insertRows('refresh_tokens', [
  'digest',
  'account_id',
  'session_id',
  'created_at',
  'expires_at',
  'spent_at',
  'successor',
]);
const findToken = prepared((db, p: { digest: string }) =>
  db.selectFrom('refresh_tokens').selectAll().where('digest', '=', p.digest),
);
const spendToken = prepared((db, p: { accountId: string; digest: string; at: bigint; successor: string }) =>
  db
    .updateTable('refresh_tokens')
    .set({ spent_at: p.at, successor: p.successor })
    .where('digest', '=', p.digest)
    .where('account_id', '=', p.accountId)
    .where('spent_at', 'is', null),
);

export function refreshTokenRepository(session: Session): RefreshTokenRepository {
  return {
    insert: async (token) => {
      await insertTokens(session, [
        {
          digest: token.digest,
          account_id: token.accountId,
          session_id: token.sessionId,
          created_at: BigInt(token.createdAt),
          expires_at: BigInt(token.expiresAt),
          spent_at: bigintOrNull(token.spentAt),
          successor: token.successor,
        },
      ]);
    },
    find: async (digest) => {
      const row = await findToken.first(session, { digest });
      return (
        row && {
          digest: row.digest,
          accountId: row.account_id,
          sessionId: row.session_id,
          createdAt: Number(row.created_at),
          expiresAt: Number(row.expires_at),
          spentAt: numberOrNull(row.spent_at),
          successor: row.successor,
        }
      );
    },
    spend: async (accountId, digest, at, successor) =>
      (await spendToken.run(session, { accountId, digest, at: BigInt(at), successor })) > 0n,
  };
}
