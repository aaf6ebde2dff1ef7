/** What credentials used of models, by day and by month. */
import { sql } from 'kysely';
import type { AccountId } from '../../core/ids.ts';
import { integer, named, type RecordOf, type RowOf, table, text, time, whole } from '../queries/columns.ts';
import type { PageRequest } from '../queries/page-of-rows.ts';
import { prepared } from '../queries/prepared.ts';
import { rowsOf } from '../queries/rows-of.ts';
import type { Session } from '../queries/session.ts';

const usageTable = table('ai_usage', ['credentialId', 'model'], {
  accountId: text<AccountId>(),
  span: text<'day' | 'month'>(),
  /** Its beginning (UTC). */
  startsAt: named('created_at', time),
  credentialId: text(),
  model: text(),
  /** Whose budget it is in, besides the account's. */
  subject: text(),
  calls: integer,
  promptTokens: whole,
  completionTokens: whole,
  micros: whole,
});
export type AiUsage = RecordOf<typeof usageTable>;

export interface AiUsageFilter {
  readonly span: AiUsage['span'];
  readonly credentialId?: string;
  readonly model?: string;
  /** The first and the last beginning. */
  readonly from?: number;
  readonly to?: number;
}

declare module '../schema.ts' {
  interface Schema {
    ai_usage: RowOf<typeof usageTable>;
  }
}

const sum = (column: string): string => `${column} = ai_usage.${column} + excluded.${column}`;
const usage = rowsOf(
  usageTable,
  `on conflict (account_id, span, created_at, credential_id, model) do update set
    ${['calls', 'prompt_tokens', 'completion_tokens', 'micros'].map(sum).join(', ')}`,
);
const total = prepared((db, p: { accountId: AccountId; span: AiUsage['span']; startsAt: bigint; subject: string }) => ({
  compile: () =>
    sql<{ tokens: bigint; micros: bigint }>`select
        cast(coalesce(sum(prompt_tokens + completion_tokens), 0) as bigint) as tokens, cast(coalesce(sum(micros), 0) as bigint) as micros
      from ai_usage where account_id = ${p.accountId} and span = ${p.span} and created_at = ${p.startsAt}
        and (subject = ${p.subject} or ${p.subject} = '')`.compile(db),
}));
const deleteBefore = prepared((db, p: { at: bigint }) => db.deleteFrom('ai_usage').where('created_at', '<', p.at));

export function aiUsageRepository(session: Session) {
  return {
    /** Each to what there is of its account, span, credential and model. */
    add: async (records: readonly AiUsage[]) => {
      await usage.insert(session, records);
    },
    /** The latest first. */
    list: (accountId: AccountId, { span, credentialId, model, from, to }: AiUsageFilter, page: PageRequest) =>
      usage.page(
        session,
        {
          name: 'ai-usage',
          where: { accountId, span, credentialId, model },
          and: (eb) => [
            from === undefined ? undefined : eb('created_at', '>=', BigInt(from)),
            to === undefined ? undefined : eb('created_at', '<=', BigInt(to)),
          ],
        },
        page,
      ),
    /** Of a subject in a day or month; of the whole account for ''. */
    total: async (accountId: AccountId, subject: string, { span, startsAt }: Pick<AiUsage, 'span' | 'startsAt'>) =>
      (await total.first(session, { accountId, subject, span, startsAt: BigInt(startsAt) })) ?? {
        tokens: 0n,
        micros: 0n,
      },
    /** Answers how many there were. */
    deleteBefore: async (at: number) => Number(await deleteBefore.run(session, { at: BigInt(at) })),
  };
}
