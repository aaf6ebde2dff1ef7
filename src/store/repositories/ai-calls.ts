/** Calls of models that are under way, with what each may use at most. */
import type { AccountId } from '../../core/ids.ts';
import { flag, integer, type RecordOf, type RowOf, table, text, time, whole } from '../queries/columns.ts';
import { prepared } from '../queries/prepared.ts';
import { rowsOf } from '../queries/rows-of.ts';
import type { Session } from '../queries/session.ts';

const callsTable = table('ai_calls', ['callId'], {
  accountId: text<AccountId>(),
  callId: text(),
  credentialKind: text<'api_key' | 'oauth_client' | 'person'>(),
  credentialId: text(),
  requireSignature: flag,
  /** Whose budget it is in, besides the account's. */
  subject: text(),
  operation: text(),
  model: text(),
  /** That it counts on, since the epoch. */
  day: integer,
  promptTokens: integer,
  /** With those of the prompt. */
  tokens: integer,
  micros: whole,
  /** By then its process has ended it, or is gone. */
  endsAt: time,
  createdAt: time,
});
export type AiCall = RecordOf<typeof callsTable>;

declare module '../schema.ts' {
  interface Schema {
    ai_calls: RowOf<typeof callsTable>;
  }
}

const calls = rowsOf(callsTable);
const due = prepared((db, p: { at: bigint; limit: bigint }) =>
  calls.select(db).where('ends_at', '<=', p.at).orderBy('ends_at').limit(p.limit),
);

export function aiCallRepository(session: Session) {
  return {
    insert: async (call: AiCall) => {
      await calls.insert(session, [call]);
    },
    /** False where it has ended. */
    delete: async ({ accountId, callId }: Pick<AiCall, 'accountId' | 'callId'>): Promise<boolean> =>
      (await calls.delete(session, { accountId, callId })) > 0n,
    /** Of a subject; of the whole account for ''. */
    of: (accountId: AccountId, subject: string) =>
      calls.all(session, subject === '' ? { accountId } : { accountId, subject }),
    /** Of every account: those whose time is over, the longest first. */
    due: async (at: number, limit: number) =>
      (await due.all(session, { at: BigInt(at), limit: BigInt(limit) })).map(calls.record),
  };
}
