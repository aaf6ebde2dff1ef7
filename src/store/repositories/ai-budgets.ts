/** What an account (subject '') or the line of an API key (its first key) may spend on models, and what of it is used. */
import type { AccountId } from '../../core/ids.ts';
import type { BudgetSums } from '../../core/inference/budget.ts';
import { integer, orNull, type RecordOf, type RowOf, table, text, time, whole } from '../queries/columns.ts';
import { prepared } from '../queries/prepared.ts';
import { rowsOf } from '../queries/rows-of.ts';
import type { Session } from '../queries/session.ts';

const budgetsTable = table('ai_budgets', ['subject'], {
  accountId: text<AccountId>(),
  subject: text(),
  tokensPerDay: orNull(whole),
  tokensPerMonth: orNull(whole),
  microsPerDay: orNull(whole),
  microsPerMonth: orNull(whole),
  /** Since the epoch: the sums are of this day and of its month. */
  day: integer,
  dayTokens: whole,
  dayMicros: whole,
  monthTokens: whole,
  monthMicros: whole,
  updatedAt: time,
});
export type AiBudget = RecordOf<typeof budgetsTable>;

declare module '../schema.ts' {
  interface Schema {
    ai_budgets: RowOf<typeof budgetsTable>;
  }
}

const LIMITS = ['tokens_per_day', 'tokens_per_month', 'micros_per_day', 'micros_per_month', 'updated_at'];
/** What is counted of one that is there stays. */
const budgets = rowsOf(
  budgetsTable,
  `on conflict (account_id, subject) do update set ${LIMITS.map((column) => `${column} = excluded.${column}`).join(', ')}`,
);
/** The account's first, whoever asks: two jobs never wait for each other in a circle. */
const lock = prepared((db, p: { accountId: AccountId; subject: string }, kind) => {
  const both = budgets
    .select(db)
    .where('account_id', '=', p.accountId)
    .where('subject', 'in', ['', p.subject])
    .orderBy('subject');
  return kind === 'postgres' ? both.forNoKeyUpdate() : both;
});

export function aiBudgetRepository(session: Session) {
  return {
    find: (accountId: AccountId, subject: string) => budgets.find(session, { accountId, subject }),
    /** The account's and the subject's, where they have one. Until the job ends no other job changes them. */
    lock: async (accountId: AccountId, subject: string) =>
      (await lock.all(session, { accountId, subject })).map(budgets.record),
    /** Its limits, where there is one. Every process asks again whose calls have one. */
    put: async (budget: AiBudget) => {
      await budgets.insert(session, [budget]);
      session.note('credentials');
    },
    update: async ({ accountId, subject }: Pick<AiBudget, 'accountId' | 'subject'>, sums: BudgetSums) => {
      await budgets.update(session, { accountId, subject }, sums);
    },
    delete: async (accountId: AccountId, subject: string) => {
      await budgets.delete(session, { accountId, subject });
      session.note('credentials');
    },
  };
}
