/** How far back and how far on rules tell, what a frozen account's do, and how many rules and templates there are. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Json } from '../../builders/app.ts';
import { eventually } from '../../builders/service-process.ts';
import { PASSWORD, startUsersApp, type UsersApp } from './users-app.ts';

const RULES = '/api/v1/notifications/rules';
let app: UsersApp;
beforeAll(async () => {
  app = await startUsersApp();
});
afterAll(() => app.close());

const given = { events: ['security.key_created'], channel: 'in_app' };
const happening = async (apiKey: string): Promise<string> =>
  (await app.post('/api/v1/api-keys', { name: 'k', scopes: ['wallets:read'] }, { apiKey })).body.api_key_id;
async function rule(apiKey: string): Promise<string> {
  const { status, body, text } = await app.post(RULES, given, { apiKey });
  expect(status, text).toBe(201);
  return body.rule_id;
}
const toldBy = async (ruleId: string, apiKey: string): Promise<Json[]> =>
  (await app.get('/api/v1/notifications?limit=100', { apiKey })).body.data.filter(
    ({ data }: Json) => data?.rule_id === ruleId,
  );
const targets = (all: Json[]) => all.map(({ data }) => data.target).sort();

it('a rule tells of what happens while it is there and enabled, and of nothing before', async () => {
  const { apiKey } = await app.anotherAccount('cursor');
  await happening(apiKey);
  const id = await rule(apiKey);
  const first = await happening(apiKey);
  await eventually('the first is told', async () => (await toldBy(id, apiKey)).length > 0);
  const enable = (enabled: boolean) => app.call('PATCH', `${RULES}/${id}`, { enabled }, { apiKey });
  await enable(false);
  await happening(apiKey);
  await enable(true);
  const last = await happening(apiKey);
  await eventually('the last is told', async () => targets(await toldBy(id, apiKey)).includes(last));
  expect(targets(await toldBy(id, apiKey))).toEqual([first, last].sort());
});

it('a digest lists and counts what its maker may read when it is sent', async () => {
  const scopes = ['notifications:write', 'compliance:read', 'webhooks:read'];
  const { user_id, username } = await app.person({ role: 'operator', scopes });
  const maker = { makerKind: 'person', makerId: user_id, makerRole: 'operator', makerScopes: scopes } as const;
  const make = async (events: string[]): Promise<string> => {
    const { body } = await app.post(RULES, { ...given, to: { user_id }, events, digest: 'hourly' });
    const rule = { accountId: app.accountId, ruleId: body.rule_id };
    await app.app.store.write((tx) => tx.notificationRules.update(rule, maker));
    return body.rule_id;
  };
  const [some, none] = [
    await make(['security.key_created', 'webhook.disabled']),
    await make(['security.key_created', 'block.connected']),
  ];
  await happening(app.adminKey);
  const gone = { webhook_id: 'whk_gone', url: 'https://example.com/', reason: 'gone' };
  await app.app.store.write((tx) =>
    tx.events.append({ accountId: app.accountId, channel: 'webhooks', ref: gone.webhook_id, data: gone }),
  );
  const find = (id: string) => app.app.store.read.notificationRules.find(app.accountId, id as never);
  const gathers = (id: string, count: number) =>
    eventually('they are gathered', async () => (await find(id))?.gathered === count);
  await gathers(some, 2);
  await gathers(none, 1);
  const lesser = { username, role: 'operator', scopes: scopes.filter((scope) => scope !== 'compliance:read') };
  expect((await app.call('PUT', `/api/v1/users/${user_id}`, lesser)).status).toBe(200);
  app.advance(3_600_000);
  await Promise.all([gathers(some, 0), gathers(none, 0)]);
  const apiKey = (await app.login({ username, password: PASSWORD })).body.access_token;
  expect(await toldBy(some, apiKey)).toMatchObject([
    { subject: '1 event', data: { count: 1, types: ['webhook.disabled'] } },
  ]);
  expect(await toldBy(none, apiKey)).toEqual([]);
});

it("a frozen account's rules wait until it is unfrozen", async () => {
  const { accountId, apiKey } = await app.anotherAccount('frozen');
  const id = await rule(apiKey);
  expect((await app.post(`/api/v1/accounts/${accountId}/freeze`, {})).status).toBe(200);
  const { store } = app.app;
  const data = {
    notice: 'key_created',
    operation: 'api-key.create',
    target: 'key_late',
    remote_address: '::1',
  } as const;
  const credential = { kind: 'api_key', id: 'key_late' } as const;
  await store.write((tx) =>
    tx.events.append({ accountId, channel: 'security', ref: 'key_late', data: { ...data, credential } }),
  );
  const nextAt = async () => (await store.read.notificationRules.find(accountId, id))?.nextAt ?? null;
  await eventually('it waits', async () => (await nextAt()) !== null);
  expect(await toldBy(id, apiKey)).toEqual([]);
  expect((await app.post(`/api/v1/accounts/${accountId}/unfreeze`, {})).status).toBe(200);
  app.advance(61_000);
  await eventually('it tells', async () => targets(await toldBy(id, apiKey)).includes('key_late'));
});

it.each<[string, string, (at: number) => Json]>([
  ['rules', RULES, () => given],
  [
    'templates',
    '/api/v1/notifications/templates',
    (at) => ({ name: `t${at}`, subject: 'Hello', body: 'Hello', placeholders: {} }),
  ],
])('an account has at most 100 %s', async (_, path, body) => {
  const { apiKey } = await app.anotherAccount(`many ${path}`);
  for (let at = 0; at < 100; at++) expect((await app.post(path, body(at), { apiKey })).status).toBe(201);
  const { status, body: refused } = await app.post(path, body(100), { apiKey });
  expect([status, refused.error.details.code]).toEqual([422, 'policy_refused']);
});
