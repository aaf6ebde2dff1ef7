/** However a call of a model ends, it is in the audit log, in usage and in the status, and a budget that is used up is told as OpenAI's clients know it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DomainError } from '../../../src/core/errors.ts';
import { type Json, startTestApp, type TestApp } from '../../builders/app.ts';
import { writtenBackend } from '../../builders/written-backend.ts';

let app: TestApp;
let origin: string;
const backend = writtenBackend({
  counted: () => [{ content: 'By bumping.' }, { usage: { promptTokens: 7, completionTokens: 3, estimated: false } }],
  boasting: () => [{ content: 'Yes' }, { usage: { promptTokens: 1e8, completionTokens: 1e8, estimated: false } }],
  modest: () => [{ content: 'By bumping.' }, { usage: { promptTokens: 9, completionTokens: 0, estimated: false } }],
  away: () => {
    throw new DomainError('unavailable', 'no upstream answers');
  },
  midway: async function* () {
    yield { content: 'By bum' };
    throw new DomainError('unavailable', 'it broke off');
  },
  endless: async function* (_, { signal }) {
    yield { content: 'By ' };
    await sleep(60_000, null, { signal });
  },
});
beforeAll(async () => {
  app = await startTestApp({ backends: [backend] });
  origin = await app.listen();
});
afterAll(() => app.close());

const ask = (model: string, apiKey: string, more: Json = {}) =>
  app.post('/v1/ai/generate', { model, messages: [{ role: 'user', content: 'How?' }], ...more }, { apiKey });
const idOf = async (apiKey: string): Promise<string> =>
  (await app.app.services.apiKeys.verify(apiKey, '127.0.0.1')).credential.id;
async function recordsOf(credentialId: string): Promise<Json[]> {
  const { data } = await app.app.store.read.audit.list(app.accountId, { credentialId }, { limit: 20, offset: 0 });
  return data.map(({ entry }) => JSON.parse(entry) as Json);
}
const usageOf = async (id: string) => (await app.get(`/api/v1/ai/usage?credential_id=${id}`)).body.data as Json[];

it('writes what was used, by the count of the upstream or by an estimate, of what failed only what was said', async () => {
  const apiKey = await app.key({ role: 'viewer', scopes: ['ai:write'] });
  const id = await idOf(apiKey);
  const done = await ask('counted', apiKey);
  expect(done.status, done.text).toBe(200);
  expect(done.headers).toMatchObject({
    ...{ 'x-ratelimit-limit-tokens': '20000', 'x-ratelimit-reset-tokens': expect.stringMatching(/^\d{10}$/) },
    'x-ratelimit-remaining-tokens': '19999',
  });
  expect((await ask('away', apiKey)).status).toBe(503);
  expect((await ask('midway', apiKey)).status).toBe(503);
  const [midway, away, counted] = await recordsOf(id);
  expect(counted).toMatchObject({
    ...{ operation: 'ai.generate', outcome: 'done', target: done.body.id },
    call: { model: 'counted', upstream: 'written', prompt_tokens: 7, completion_tokens: 3, estimated: false },
  });
  expect(away).toMatchObject({ outcome: 'upstream_failed', call: { prompt_tokens: 0, completion_tokens: 0 } });
  expect(midway).toMatchObject({ outcome: 'upstream_failed', call: { completion_tokens: 2, estimated: true } });
  expect(JSON.stringify([midway, away, counted])).not.toMatch(/How\?|bum/);
  expect(
    (await usageOf(id)).map(({ model, calls, completion_tokens }) => [model, calls, completion_tokens]).sort(),
  ).toEqual([
    ['away', 1, 0],
    ['counted', 1, 3],
    ['midway', 1, 2],
  ]);
  expect(await app.app.store.read.aiCalls.of(app.accountId, '')).toEqual([]);
});

it('writes it, too, when its client goes away, and charges what was said', async () => {
  const apiKey = await app.key({ role: 'viewer', scopes: ['ai:write'] });
  const id = await idOf(apiKey);
  const controller = new AbortController();
  const body = JSON.stringify({ model: 'endless', messages: [{ role: 'user', content: 'How?' }] });
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  const asked = fetch(`${origin}/v1/ai/generate`, { method: 'POST', headers, body, signal: controller.signal });
  await expect.poll(async () => (await app.app.store.read.aiCalls.of(app.accountId, id)).length).toBe(1);
  controller.abort();
  await expect(asked).rejects.toThrow();
  await expect
    .poll(async () => (await recordsOf(id))[0])
    .toMatchObject({ outcome: 'client_gone', call: { model: 'endless' } });
  expect(await usageOf(id)).toMatchObject([{ model: 'endless', calls: 1 }]);
});

it('refuses beyond a budget with 429, which says when it will do, and records that', async () => {
  const apiKey = await app.key({ role: 'viewer', scopes: ['ai:write'] });
  const id = await idOf(apiKey);
  await app.call('PUT', `/api/v1/api-keys/${id}/ai-budget`, { tokens_per_day: 100 });
  expect((await ask('counted', apiKey, { max_tokens: 90 })).status).toBe(200);
  const refused = await ask('counted', apiKey, { max_tokens: 90 });
  expect(refused.status).toBe(429);
  expect(refused.body.error).toMatchObject({
    code: 'rate_limit_exceeded',
    message: expect.stringContaining('100 tokens a day'),
  });
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  expect((await recordsOf(id)).map(({ outcome }) => outcome)).toEqual(['budget_refused', 'done']);
});

it('keeps of a budget what all of a request may come to, and believes no count that cannot be', async () => {
  const apiKey = await app.key({ role: 'viewer', scopes: ['ai:write'] });
  const id = await idOf(apiKey);
  await app.call('PUT', `/api/v1/api-keys/${id}/ai-budget`, { tokens_per_day: 10_000 });
  const description = 'x'.repeat(60_000);
  const schema = { name: 'a', schema: { type: 'object', description } };
  const large = await ask('counted', apiKey, {
    max_tokens: 5,
    response_format: { type: 'json_schema', json_schema: schema },
  });
  expect(large.status, large.text).toBe(429);
  const named = { messages: Array.from({ length: 200 }, () => ({ role: 'user', content: '', name: 'n'.repeat(200) })) };
  expect((await ask('counted', apiKey, { ...named, max_tokens: 5 })).status).toBe(429);
  expect((await ask('boasting', apiKey, { max_tokens: 50 })).status).toBe(200);
  expect((await ask('modest', apiKey, { max_tokens: 50 })).status).toBe(200);
  const [modest, boasting] = await recordsOf(id);
  expect(modest!.call).toMatchObject({ completion_tokens: 3, estimated: true });
  expect(boasting!.call).toMatchObject({ prompt_tokens: expect.any(Number), completion_tokens: 50 });
  expect(boasting!.call.prompt_tokens).toBeLessThan(5_000);
});

it('records what the guard refuses, without so much as a digest of it', async () => {
  const apiKey = await app.key({ role: 'viewer', scopes: ['ai:write'] });
  const content = 'L1aW4aubDFB7yfras2S1mN3bqg9nwySY8nkoLmJebSLD5BWv3ENZ';
  const refused = await ask('counted', apiKey, { messages: [{ role: 'user', content }] });
  expect([refused.status, refused.body.error.param]).toEqual([400, 'messages[0].content']);
  expect(await recordsOf(await idOf(apiKey))).toMatchObject([
    { outcome: 'guard_refused', call: { model: 'counted', prompt_digest: null, upstream: null, cost_usd: '0.000000' } },
  ]);
});

it('counts in the status of all processes, what failed among it', async () => {
  const { body: before } = await app.get('/v1/ai/status');
  await ask('away', app.adminKey);
  await ask('counted', app.adminKey);
  const { body } = await app.get('/v1/ai/status');
  expect(body).toMatchObject({
    status: 'ok',
    models_loaded: before.models_loaded,
    total_requests: before.total_requests + 2,
  });
  expect(body.error_rate).toBeGreaterThan(0);
  expect(body.error_rate).toBeLessThan(1);
});
