/** Budgets of models as requests read and set them, and what was used of models. */
import { DomainError } from '../../core/errors.ts';
import type { AccountId } from '../../core/ids.ts';
import {
  type BudgetLimits,
  type BudgetSums,
  countedDay,
  dayOf,
  startOfDay,
  startOfMonth,
  sumsOn,
} from '../../core/inference/budget.ts';
import type { PageRequest } from '../../store/records.ts';
import type { AiBudget } from '../../store/repositories/ai-budgets.ts';
import type { AiUsage, AiUsageFilter } from '../../store/repositories/ai-usage.ts';
import type { Repositories, Store } from '../../store/store.ts';
import { assertMayChange, assertSpendsFreely } from '../credentials/grants.ts';
import { recordRequest } from '../requests/record-request.ts';
import type { RequestContext } from '../requests/request-context.ts';

export type { AiUsage };

/** `updatedAt`: null where no budget is set. */
export type ShownBudget = BudgetLimits & BudgetSums & { readonly updatedAt: number | null };

const NO_LIMITS: BudgetLimits = { tokensPerDay: null, tokensPerMonth: null, microsPerDay: null, microsPerMonth: null };

export function createAiBudgets({ store, clock }: { store: Store; clock: () => number }) {
  /** Of a key, also the budget of those that it was rotated from. Throws `not_found`. */
  async function subjectOf(accountId: AccountId, keyId: string | null) {
    if (keyId === null) return { key: null, subject: '' };
    const key = await store.read.apiKeys.find(accountId, keyId);
    if (key === null) throw new DomainError('not_found', 'there is no such API key', { field: 'api_key_id' });
    return { key, subject: await store.read.apiKeys.firstOfLine(accountId, keyId) };
  }

  /** What is used without a budget that says so: of calls that have ended, and what those under way may use. */
  async function counted(tx: Pick<Repositories, 'aiUsage' | 'aiCalls'>, accountId: AccountId, subject: string) {
    const day = dayOf(clock());
    const ofDay = await tx.aiUsage.total(accountId, subject, { span: 'day', startsAt: startOfDay(day) });
    const ofMonth = await tx.aiUsage.total(accountId, subject, { span: 'month', startsAt: startOfMonth(day) });
    const sums = { day, dayTokens: ofDay.tokens, dayMicros: ofDay.micros };
    let [monthTokens, monthMicros] = [ofMonth.tokens, ofMonth.micros];
    for (const call of await tx.aiCalls.of(accountId, subject)) {
      const tokens = BigInt(call.tokens);
      if (call.day === day) [sums.dayTokens, sums.dayMicros] = [sums.dayTokens + tokens, sums.dayMicros + call.micros];
      if (startOfMonth(call.day) !== startOfMonth(day)) continue;
      [monthTokens, monthMicros] = [monthTokens + tokens, monthMicros + call.micros];
    }
    return { ...sums, monthTokens, monthMicros };
  }

  const now = (budget: AiBudget): ShownBudget => ({
    ...budget,
    ...sumsOn(budget, countedDay(dayOf(clock()), [budget])),
  });

  return {
    /** null: the account's. */
    async get(keyId: string | null, { accountId }: Pick<RequestContext, 'accountId'>): Promise<ShownBudget> {
      const { subject } = await subjectOf(accountId, keyId);
      const budget = await store.read.aiBudgets.find(accountId, subject);
      if (budget !== null) return now(budget);
      return { ...NO_LIMITS, ...(await counted(store.read, accountId, subject)), updatedAt: null };
    },
    /**
     * In the place of what there was; without any limit there is none. By whoever has all that the key has, and is free of a budget: none
     * widens its own. What calls that end in this very moment used may be missing of a first one.
     */
    async replace(keyId: string | null, limits: BudgetLimits, context: RequestContext): Promise<ShownBudget> {
      const { accountId, credential } = context;
      const { key, subject } = await subjectOf(accountId, keyId);
      if (key === null) assertSpendsFreely(credential);
      else assertMayChange(credential, key);
      const none = Object.values(limits).every((limit) => limit === null);
      return store.write(async (tx) => {
        const updatedAt = clock();
        if (none) await tx.aiBudgets.delete(accountId, subject);
        else
          await tx.aiBudgets.put({
            accountId,
            subject,
            ...limits,
            ...(await counted(tx, accountId, subject)),
            updatedAt,
          });
        const set = await tx.aiBudgets.find(accountId, subject);
        const result =
          set === null ? { ...limits, ...(await counted(tx, accountId, subject)), updatedAt: null } : now(set);
        await recordRequest(tx, context, { result, target: keyId ?? accountId });
        return result;
      });
    },
    /** The latest first. */
    usage: (filter: AiUsageFilter, page: PageRequest, { accountId }: Pick<RequestContext, 'accountId'>) =>
      store.read.aiUsage.list(accountId, filter, page),
  };
}

export type AiBudgets = ReturnType<typeof createAiBudgets>;
