import type { AccountId } from '../../core/ids.ts';
import { orNull, type RecordOf, type RowOf, table, text, time } from '../queries/columns.ts';
import { rowsOf } from '../queries/rows-of.ts';
import type { Session } from '../queries/session.ts';

export const refreshTokens = table('refresh_tokens', ['digest'], {
  /** SHA-256, hex. */
  digest: text(),
  accountId: text<AccountId>(),
  sessionId: text(),
  createdAt: time,
  expiresAt: time,
  spentAt: orNull(time),
  /** The next token, encrypted: answered again within the grace. */
  successor: orNull(text()),
});
export type RefreshTokenRecord = RecordOf<typeof refreshTokens>;

declare module '../schema.ts' {
  interface Schema {
    refresh_tokens: RowOf<typeof refreshTokens>;
  }
}

const tokens = rowsOf(refreshTokens);

export function refreshTokenRepository(session: Session) {
  return {
    insert: async (token: RefreshTokenRecord) => {
      await tokens.insert(session, [token]);
    },
    /** Whatever the account: this is how it becomes known. */
    find: (digest: string) => tokens.find(session, { digest }),
    /** False where another did it first: then the job rolls nothing back and reads who did. */
    spend: async (accountId: AccountId, digest: string, at: number, successor: string) =>
      (await tokens.update(session, { accountId, digest, spentAt: null }, { spentAt: at, successor })) > 0n,
  };
}
