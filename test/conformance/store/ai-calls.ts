/** Calls of models: what is reserved and settled, in two processes at once, and what is left of a process that died. */
import { expect, test } from 'vitest';
import type { BudgetLimits } from '../../../src/core/inference/budget.ts';
import { createLocalCounters } from '../../../src/counters/local.ts';
import { createInferenceLedger, type PlannedCall } from '../../../src/services/inference/ledger.ts';
import { createTokenLimits } from '../../../src/services/limits/token-limits.ts';
import type { AiBudget } from '../../../src/store/repositories/ai-budgets.ts';
import type { Store } from '../../../src/store/store.ts';
import { requestContext } from '../../builders/request-context.ts';
import { apiKeyRecord } from '../../builders/store-records.ts';
import { silent } from '../../builders/stores.ts';
import type { StoreContext } from '../store.ts';

const START = Date.parse('2026-11-28T16:00:00Z');
const DAY = START / 86_400_000;
const price = { inputPerMillion: 1_000_000n, outputPerMillion: 2_000_000n };
const budget = (subject: string, limits: Partial<BudgetLimits>): AiBudget => ({
  ...{ accountId: 'acc_one', subject, updatedAt: START, day: Math.floor(DAY) },
  ...{ tokensPerDay: null, tokensPerMonth: null, microsPerDay: null, microsPerMonth: null },
  ...{ dayTokens: 0n, dayMicros: 0n, monthTokens: 0n, monthMicros: 0n, ...limits },
});
const plan = (id: string, patch: Partial<PlannedCall> = {}): PlannedCall => ({
  model: { id: 'big', contextLength: 1_000, price },
  ...{ id, promptTokens: 100, maxTokens: 200, prompt: [{ role: 'user', content: 'hello' }], ...patch },
});
const used = (promptTokens: number, completionTokens: number) => ({ promptTokens, completionTokens, estimated: false });
const by = { upstream: 'vendor', price };
const credential = { id: 'key_one' };
const asking = (operation = 'ai.generate') =>
  requestContext({ credential, facts: { ...requestContext().facts, operation, contentDigest: null } });

export function aiCallTests(context: StoreContext): void {
  let now = START;
  const ledgerOf = (store: Store) =>
    createInferenceLedger({
      ...{
        store,
        tokenLimits: createTokenLimits({ counters: createLocalCounters({ clock: () => now }), clock: () => now }),
      },
      clock: () => now,
      log: silent,
      digestKey: new Uint8Array(32).fill(7),
      lastsMs: 600_000,
    });
  const records = async (store: Store) =>
    (await store.read.audit.list('acc_one', {}, { limit: 100, offset: 0 })).data.map(({ entry, outcome }) => ({
      ...{ outcome, entry: JSON.parse(entry) as { call: Record<string, unknown>; target: string; operation: string } },
    }));
  const usage = async (store: Store, span: 'day' | 'month' = 'day') =>
    (await store.read.aiUsage.list('acc_one', { span }, { limit: 10, offset: 0 })).data;

  test('of 50 calls at once in two processes exactly as many begin as fit, and what was not used is there again', async () => {
    now = START;
    const { store } = context;
    const other = await context.beside();
    // A call may cost 100 + 2 * 200 millionths.
    await store.write(async (tx) => {
      await tx.apiKeys.insert(apiKeyRecord());
      await tx.aiBudgets.put(budget('', { microsPerMonth: 100_000n }));
      await tx.aiBudgets.put(budget('key_one', { microsPerDay: 5_499n, tokensPerMonth: 1_000_000n }));
    });
    const ledgers = [ledgerOf(store), ledgerOf(other)] as const;
    const asked = Array.from({ length: 50 }, (_, at) =>
      ledgers[at % 2 === 0 ? 0 : 1].begin(asking(), plan(`call_${at}`)),
    );
    const begun = (await Promise.allSettled(asked)).filter((one) => one.status === 'fulfilled');
    expect(begun).toHaveLength(10);
    expect(await store.read.aiBudgets.find('acc_one', 'key_one')).toMatchObject({
      dayMicros: 5_000n,
      monthTokens: 3_000n,
    });
    const refusals = await records(store);
    expect(refusals.map(({ outcome }) => outcome)).toEqual(Array(40).fill('budget_refused'));
    await expect(ledgers[0].begin(asking(), plan('more'))).rejects.toMatchObject({
      ...{ code: 'rate_limited', details: { retryAfterSeconds: 8 * 3_600 } },
      message: expect.stringMatching(/this API key .* 0\.005499 USD a day: 0\.005000 USD are used/),
    });
    await Promise.all(begun.map(({ value }) => value.end({ by, usage: used(90, 10), outcome: 'done' })));
    // 90 + 2 * 10 each.
    expect(await store.read.aiBudgets.find('acc_one', 'key_one')).toMatchObject({
      dayMicros: 1_100n,
      monthTokens: 1_000n,
    });
    expect(await store.read.aiBudgets.find('acc_one', '')).toMatchObject({ monthMicros: 1_100n, dayTokens: 1_000n });
    const whole = {
      credentialId: 'key_one',
      model: 'big',
      calls: 10,
      promptTokens: 900n,
      completionTokens: 100n,
      micros: 1_100n,
    };
    expect(await usage(store)).toMatchObject([{ ...whole, startsAt: Date.parse('2026-11-28T00:00:00Z') }]);
    expect(await usage(store, 'month')).toMatchObject([{ ...whole, startsAt: Date.parse('2026-11-01T00:00:00Z') }]);
    expect(await store.read.aiCalls.of('acc_one', '')).toEqual([]);
  });

  test('a record says what was asked of whom and how it ended, and no word of it', async () => {
    now = START;
    const { store } = context;
    const ledger = ledgerOf(store);
    const call = await ledger.begin(asking(), plan('chatcmpl-1'));
    call.said('good ');
    call.said('morning');
    await call.end({ by, usage: used(3, 2), outcome: 'client_gone' });
    const silence = await ledger.begin(asking('question.create'), plan('chatcmpl-2', { maxTokens: null }));
    await silence.end({ by: null, usage: used(Number.NaN, -1), outcome: 'upstream_failed' });
    await ledger.refusedByGuard(asking(), plan('chatcmpl-3'));
    const [refused, failed, gone] = await records(store);
    const digest = expect.stringMatching(/^[0-9a-f]{64}$/);
    expect(gone).toMatchObject({ outcome: 'client_gone', entry: { operation: 'ai.generate', target: 'chatcmpl-1' } });
    expect(gone?.entry.call).toEqual({
      ...{ model: 'big', upstream: 'vendor', prompt_tokens: 3, completion_tokens: 2, estimated: false },
      ...{ cost_usd: '0.000007', prompt_digest: digest, answer_digest: digest },
    });
    expect(failed).toMatchObject({ outcome: 'upstream_failed', entry: { operation: 'question.create' } });
    expect(failed?.entry.call).toMatchObject({
      upstream: null,
      prompt_tokens: 0,
      cost_usd: '0.000000',
      answer_digest: null,
    });
    expect(refused).toMatchObject({
      outcome: 'guard_refused',
      entry: { target: 'chatcmpl-3', call: { prompt_digest: null } },
    });
    expect(ledger.counts()).toMatchObject({ written: 3, unwritten: 0 });
    // The same text has the same digest within an account, and another in another's.
    expect(failed?.entry.call.prompt_digest).toBe(gone?.entry.call.prompt_digest);
    const elsewhere = await ledger.begin({ ...asking(), accountId: 'acc_two' }, plan('chatcmpl-4'));
    await elsewhere.end({ by, usage: used(1, 1), outcome: 'done' });
    const { data } = await store.read.audit.list('acc_two', {}, { limit: 1, offset: 0 });
    const entry = data[0]?.entry ?? '';
    expect(entry).toMatch(/"prompt_digest":"[0-9a-f]{64}"/);
    expect(entry).not.toContain(String(gone?.entry.call.prompt_digest));
  });

  test('what a process that died had reserved is charged when its time is over, once', async () => {
    now = START;
    const { store } = context;
    await store.write((tx) => tx.aiBudgets.put(budget('', { tokensPerDay: 10_000n })));
    const ledger = ledgerOf(store);
    const call = await ledger.begin(asking(), plan('died', { maxTokens: null }));
    expect(await ledger.sweep()).toBe(0);
    now += 720_000;
    await Promise.all([ledger.sweep(), ledgerOf(await context.beside()).sweep()]);
    const sums = { promptTokens: 100n, completionTokens: 900n, micros: 1_900n, calls: 1 };
    expect(await usage(store)).toMatchObject([sums]);
    expect(await store.read.aiBudgets.find('acc_one', '')).toMatchObject({ dayTokens: 1_000n });
    expect(await records(store)).toMatchObject([
      { outcome: 'lost', entry: { target: 'died', credential: { id: 'key_one' }, call: { cost_usd: '0.001900' } } },
    ]);
    // It lived after all: its record is written, and nothing charged again.
    await call.end({ by, usage: used(1, 1), outcome: 'done' });
    expect(await usage(store)).toMatchObject([sums]);
    now += 401 * 86_400_000;
    expect(await ledger.sweep()).toBe(2);
    expect(await usage(store, 'month')).toEqual([]);
  });

  test('is listed by span, key and model, and counts by minute for all accounts', async () => {
    const { store } = context;
    const of = (model: string, credentialId: string, startsAt: number) => ({
      ...{ accountId: 'acc_one' as const, span: 'day' as const, startsAt, credentialId, model, subject: 'key_a' },
      ...{ calls: 1, promptTokens: 1n, completionTokens: 1n, micros: 1n },
    });
    const all = [of('a', 'key_a', 1), of('b', 'key_a', 2), of('a', 'key_b', 3)];
    await store.write((tx) => tx.aiUsage.add([...all, { ...of('a', 'key_a', 1), accountId: 'acc_two' }]));
    const list = async (filter: object) =>
      (await store.read.aiUsage.list('acc_one', { span: 'day', ...filter }, { limit: 10, offset: 0 })).data;
    expect(await list({})).toEqual([all[2], all[1], all[0]]);
    expect(await list({ model: 'a', to: 2 })).toEqual([all[0]]);
    expect(await list({ credentialId: 'key_a', from: 2 })).toEqual([all[1]]);
    const total = (subject: string, startsAt: number) =>
      store.read.aiUsage.total('acc_one', subject, { span: 'day', startsAt });
    expect(await total('', 1)).toEqual({ tokens: 2n, micros: 1n });
    expect(await total('key_a', 2)).toEqual({ tokens: 2n, micros: 1n });
    expect(await total('key_z', 2)).toEqual({ tokens: 0n, micros: 0n });
    const minute = (at: number) => ({ minute: at, requests: 2, failures: 1, answered: 1, latencyMs: 40 });
    const add = () => store.write((tx) => tx.aiMinutes.add([minute(0), minute(7), minute(9)]));
    await add();
    await add();
    await store.write((tx) => tx.aiMinutes.deleteBefore(8));
    const found = await store.read.aiMinutes.since(1);
    expect(found.toSorted((one, two) => one.minute - two.minute)).toEqual(
      [0, 9].map((at) => ({ minute: at, requests: 4, failures: 2, answered: 2, latencyMs: 80 })),
    );
  });
}
