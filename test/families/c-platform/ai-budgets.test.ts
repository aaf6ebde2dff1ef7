/** Budgets of models and what was used of them: who sets them, for whom they hold, and that none gets around its own. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Json, startTestApp, type TestApp } from '../../builders/app.ts';
import { requestContext } from '../../builders/request-context.ts';

let now = Date.parse('2026-11-28T16:00:00Z');
let service: TestApp;
beforeAll(async () => {
  service = await startTestApp({ clock: () => now });
});
afterAll(() => service.close());

const price = { inputPerMillion: 1_000_000n, outputPerMillion: 1_000_000n };
const idOf = async (apiKey: string): Promise<string> =>
  (await service.app.services.apiKeys.verify(apiKey, '127.0.0.1')).credential.id;
const budgetOf = (id: string): string => `/api/v1/api-keys/${id}/ai-budget`;
const put = (path: string, body: Json, apiKey?: string) =>
  service.call('PUT', path, body, apiKey === undefined ? {} : { apiKey });
let calls = 0;
async function begin(id: string, maxTokens = 90) {
  const context = requestContext({ accountId: service.accountId, credential: { id } });
  const model = { id: 'big', contextLength: null, price };
  const plan = { id: `call_${calls++}`, model, promptTokens: 10, maxTokens, prompt: 'hello' };
  return service.app.services.inferenceLedger.begin(context, plan);
}
async function spend(id: string, maxTokens?: number): Promise<void> {
  const call = await begin(id, maxTokens);
  const usage = { promptTokens: 10, completionTokens: 40, estimated: false };
  await call.end({ by: { upstream: 'vendor', price }, usage, outcome: 'done' });
}

it('are set, shown with what is used, hold from the next call on, and end when all limits are taken away', async () => {
  const id = await idOf(await service.key({ role: 'viewer' }));
  await spend(id);
  const before = await service.get(budgetOf(id));
  const none = { tokens_per_day: null, tokens_per_month: null, usd_per_day: null, usd_per_month: null };
  const used = { tokens_today: 50, tokens_this_month: 50, usd_today: '0.000050', usd_this_month: '0.000050' };
  expect(before.body).toEqual({ ...none, used, updated_at: null });
  const set = await put(budgetOf(id), { usd_per_day: '0.00015', tokens_per_month: 1_000 });
  expect(set.body).toEqual({
    ...{ ...none, tokens_per_month: 1_000, usd_per_day: '0.000150', used },
    updated_at: '2026-11-28T16:00:00.000Z',
  });
  const open = await begin(id);
  await expect(spend(id)).rejects.toThrow(/the budget of this API key for models is 0.000150 USD a day/);
  expect((await service.get(budgetOf(id))).body.used).toMatchObject({ usd_today: '0.000150', tokens_today: 150 });
  await open.end({
    by: null,
    usage: { promptTokens: 0, completionTokens: 0, estimated: true },
    outcome: 'upstream_failed',
  });
  now += 86_400_000;
  await spend(id);
  expect((await service.get(budgetOf(id))).body.used).toMatchObject({ tokens_today: 50, tokens_this_month: 100 });
  // What a change leaves out has no limit, and what is counted stays.
  await put(budgetOf(id), { tokens_per_day: 60 });
  await expect(spend(id)).rejects.toMatchObject({ code: 'rate_limited' });
  expect((await put(budgetOf(id), {})).body).toMatchObject({ ...none, updated_at: null });
  await spend(id);
  now -= 86_400_000;
});

it('are refused where they are malformed, to whoever may not, and of a key that is not there', async () => {
  const key = await service.key({ scopes: ['ai-budgets:write'] });
  const greater = await idOf(await service.key());
  for (const [body, field] of [
    [{ usd_per_day: 5 }, 'usd_per_day'],
    [{ usd_per_day: '0.0000001' }, 'usd_per_day'],
    [{ tokens_per_day: 1.5 }, 'tokens_per_day'],
    [{ dollars: '5' }, 'dollars'],
  ] as const)
    expect((await put(budgetOf(greater), body)).body.error.details).toMatchObject({ field });
  expect((await put(budgetOf(greater), {}, key)).status).toBe(403);
  const operator = await service.key({ role: 'operator' });
  expect((await put(budgetOf(await idOf(operator)), {}, operator)).status).toBe(403);
  const { apiKey: stranger } = await service.anotherAccount();
  expect((await put(budgetOf(greater), {}, stranger)).status).toBe(404);
  expect((await service.get(budgetOf(greater), { apiKey: stranger })).status).toBe(404);
  expect((await service.get(budgetOf('key_no'))).status).toBe(400);
});

it('bind the key that has one: it changes none, makes and takes over no credentials, and goes on with its successor', async () => {
  const admin = await service.key();
  const id = await idOf(admin);
  const other = await idOf(await service.key({ role: 'viewer', scopes: ['wallets:read'] }));
  expect((await put(budgetOf(id), { tokens_per_day: 150 })).status).toBe(200);
  const tries: [string, string, Json | undefined][] = [
    ['PUT', budgetOf(id), { tokens_per_day: 1_000 }],
    ['PUT', budgetOf(other), { tokens_per_day: 1_000 }],
    ['PUT', '/api/v1/ai/budget', {}],
    ['POST', '/api/v1/api-keys', { name: 'free', scopes: ['wallets:read'] }],
    ['POST', `/api/v1/api-keys/${other}/rotate`, {}],
    ['POST', '/api/v1/oauth-clients', { name: 'free', scopes: ['api-keys:write'] }],
    [
      'POST',
      '/api/v1/users',
      { username: 'free', email: 'free@example.com', password: 'a long enough one 1', role: 'admin', scopes: ['*'] },
    ],
  ];
  for (const [method, path, body] of tries) {
    const answer = await service.call(method, path, body, { apiKey: admin });
    expect([path, answer.status, answer.body.error.message]).toEqual([
      path,
      403,
      expect.stringContaining('budget for models'),
    ]);
  }
  await spend(id);
  const rotated = await service.call('POST', `/api/v1/api-keys/${id}/rotate`, {}, { apiKey: admin });
  expect(rotated.status, rotated.text).toBe(201);
  const successor = rotated.body.api_key_id as string;
  await spend(successor);
  await expect(spend(successor)).rejects.toMatchObject({ code: 'rate_limited' });
  expect((await service.get(budgetOf(successor))).body.used.tokens_today).toBe(100);
  // Free again, whoever of the line is named.
  await put(budgetOf(successor), {});
  expect((await service.call('POST', '/api/v1/api-keys', tries[3]?.[2], { apiKey: admin })).status).toBe(201);
});

it('hold for the account besides, and usage is listed by key, model, day and month', async () => {
  const { accountId } = service;
  const id = await idOf(await service.key({ role: 'viewer' }));
  const { body } = await service.get('/api/v1/ai/budget');
  await put('/api/v1/ai/budget', { tokens_per_month: body.used.tokens_this_month + 160 });
  await spend(id);
  await spend(id);
  await expect(spend(id)).rejects.toThrow(/the budget of the account for models/);
  await put('/api/v1/ai/budget', {});
  const list = async (query: string) => (await service.get(`/api/v1/ai/usage?credential_id=${id}${query}`)).body.data;
  const one = { credential_id: id, model: 'big', calls: 2, prompt_tokens: 20, completion_tokens: 80, cost: '0.000100' };
  expect(await list('')).toEqual([{ ...one, period: 'day', starts_on: '2026-11-28' }]);
  expect(await list('&period=month&from=2026-11-01&model=big')).toEqual([
    { ...one, period: 'month', starts_on: '2026-11-01' },
  ]);
  expect(await list('&from=2026-11-29')).toEqual([]);
  expect(await list('&model=small')).toEqual([]);
  expect((await service.get('/api/v1/ai/usage?period=year')).body.error.details.field).toBe('query.period');
  const { apiKey: stranger } = await service.anotherAccount('third');
  expect((await service.get(`/api/v1/ai/usage?credential_id=${id}`, { apiKey: stranger })).body.data).toEqual([]);
  const changes = await service.app.store.read.audit.list(
    accountId,
    { operation: 'account-ai-budget.replace' },
    { limit: 5, offset: 0 },
  );
  expect(changes.data.filter(({ outcome }) => outcome === 'done').map(({ target }) => target)).toEqual([
    accountId,
    accountId,
  ]);
});
