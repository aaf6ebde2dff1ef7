/** Delegations: what they lock, who may end them, and what they change. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Json, startTestApp, type TestApp } from '../../builders/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const BASE = '/v1/governance/tokens';
const by = (apiKey: string) => ({ apiKey });
const balance = async (apiKey: string) => (await app.get(`${BASE}/balance`, by(apiKey))).body;
const delegate = (delegate_address: string, amount: unknown, apiKey: string) =>
  app.post(`${BASE}/delegate`, { delegate_address, amount }, by(apiKey));
const slug = ({ status, body }: { status: number; body: Json }) => [
  status,
  body.error?.details.code,
  body.error?.details.field,
];

it('lock what they are of until they are ended, and are shown to both sides', async () => {
  const { apiKey, accountId } = await app.anotherAccount('delegations');
  const other = await app.key({ accountId, role: 'operator' });
  const [mine, theirs] = [await balance(apiKey), await balance(other)];
  const made = await delegate(theirs.holder_address, '999999.5', apiKey);
  expect([made.status, made.body]).toMatchObject([
    201,
    { holder_id: mine.holder_id, delegate_id: theirs.holder_id, amount: '999999.50000000', from_seq: 2 },
  ]);
  const locked = { balance: '1000000.00000000', locked: '999999.50000000', available: '0.50000000' };
  expect(await balance(apiKey)).toMatchObject(locked);
  const move = { address: theirs.holder_id, amount: '0.50000001' };
  expect(slug(await app.post(`${BASE}/transfer`, move, by(apiKey)))).toEqual([422, 'insufficient_funds', 'amount']);
  const burn = { ...move, address: mine.holder_id, reason: 'r' };
  expect(slug(await app.post(`${BASE}/burn`, burn, by(apiKey)))).toEqual([422, 'insufficient_funds', 'amount']);
  expect((await app.post(`${BASE}/transfer`, { ...move, amount: '0.5' }, by(apiKey))).status).toBe(201);
  const history = (await app.get(`${BASE}/history?address=${theirs.holder_id}`, by(apiKey))).body.data;
  expect(history.map(({ type, change }: Json) => [type, change])).toEqual([
    ['transfer', '0.50000000'],
    ['delegate', '0.00000000'],
  ]);
  const listed = async (query: string, apiKey: string) =>
    (await app.get(`${BASE}/delegations?${query}`, by(apiKey))).body.data;
  expect(await listed('', apiKey)).toEqual([made.body]);
  expect(await listed('direction=received', other)).toEqual([made.body]);
  expect(await listed(`address=${mine.holder_id}`, other)).toEqual([made.body]);
  expect(await listed('direction=received', apiKey)).toEqual([]);
  const path = `${BASE}/delegations/${made.body.delegation_id}`;
  const end = (apiKey: string) => app.call('DELETE', path, undefined, by(apiKey));
  expect(slug(await end(other))).toEqual([404, 'not_found', 'delegation_id']);
  expect(slug(await end((await app.anotherAccount('a stranger')).apiKey))).toEqual([404, 'not_found', 'delegation_id']);
  expect((await end(apiKey)).status).toBe(204);
  expect((await end(apiKey)).status).toBe(404);
  expect(await balance(apiKey)).toMatchObject({ locked: '0.00000000', available: '999999.50000000' });
  expect(await listed('', apiKey)).toEqual([]);
});

it('are refused with the field that is wrong', async () => {
  const { apiKey, accountId } = await app.anotherAccount('refused');
  const other = await app.key({ accountId, role: 'operator' });
  const [mine, theirs] = [await balance(apiKey), await balance(other)];
  const stranger = await balance((await app.anotherAccount('another stranger')).apiKey);
  const cases: [string, unknown, unknown[]][] = [
    [mine.holder_id, '1', [400, 'invalid_value', 'delegate_address']],
    [stranger.holder_address, '1', [404, 'not_found', 'delegate_address']],
    ['nonsense', '1', [400, 'invalid_address', 'delegate_address']],
    [theirs.holder_id, '1000000.00000001', [422, 'insufficient_funds', 'amount']],
    [theirs.holder_id, 1, [400, 'invalid_value', 'amount']],
    [theirs.holder_id, '0', [400, 'invalid_value', 'amount']],
  ];
  for (const [to, amount, expected] of cases) expect(slug(await delegate(to, amount, apiKey)), to).toEqual(expected);
  // What is received is not handed on.
  await delegate(theirs.holder_id, '5', apiKey);
  expect(slug(await delegate(mine.holder_id, '1', other))).toEqual([422, 'insufficient_funds', 'amount']);
  for (let made = 1; made < 100; made++) expect((await delegate(theirs.holder_id, '0.5', apiKey)).status).toBe(201);
  expect(slug(await delegate(theirs.holder_id, '0.5', apiKey)).slice(0, 2)).toEqual([409, 'state_conflict']);
  const [dao] = await Promise.all([app.app.store.read.governance.findDao(accountId)]);
  expect(dao).toMatchObject({ totalPower: 1_000_000n - 50n, seq: 101 });
});

it('of a holder that is revoked are ended by administrators', async () => {
  const { apiKey, accountId } = await app.anotherAccount('ended holders');
  const ending = await app.key({ accountId, role: 'operator' });
  const { holder_id } = await balance(ending);
  await app.post(`${BASE}/transfer`, { address: holder_id, amount: '3' }, by(apiKey));
  const { delegation_id } = (await delegate((await balance(apiKey)).holder_id, '3', ending)).body;
  const path = `${BASE}/delegations/${delegation_id}`;
  expect((await app.call('DELETE', path, undefined, by(apiKey))).status).toBe(404);
  expect((await app.call('DELETE', `/api/v1/api-keys/${holder_id}`, undefined, by(apiKey))).status).toBe(204);
  expect(slug(await delegate(holder_id, '1', apiKey))).toEqual([409, 'state_conflict', 'delegate_address']);
  expect((await app.call('DELETE', path, undefined, by(apiKey))).status).toBe(204);
  const burned = await app.post(`${BASE}/burn`, { address: holder_id, amount: '3', reason: 'left' }, by(apiKey));
  expect(burned.status).toBe(201);
});
