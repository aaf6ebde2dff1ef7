/** Votes through HTTP: what they count for, what they lock, and what is kept as their proof. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { PrivateJwk } from '../../../src/core/request-signatures/signing-algorithm.ts';
import type { Json } from '../../builders/app.ts';
import { PASSWORD, startUsersApp, type UsersApp } from '../c-platform/users-app.ts';

let app: UsersApp;
beforeAll(async () => {
  app = await startUsersApp({ limits: true });
});
afterAll(() => app.close());

const BASE = '/v1/governance';
const by = (apiKey: string) => ({ apiKey });
const vote = (id: string, vote: unknown, voting_power: unknown, options = {}) =>
  app.post(`${BASE}/proposals/${id}/vote`, { vote, voting_power }, options);
const slug = ({ status, body }: { status: number; body: Json }) => [
  status,
  body.error?.details.code,
  body.error?.details.field,
];
const balance = async (apiKey: string) => (await app.get(`${BASE}/tokens/balance`, by(apiKey))).body;
const propose = async (apiKey: string): Promise<Json> =>
  (await app.post(`${BASE}/proposals`, { title: 't', description: 'd', type: 'text' }, by(apiKey))).body;
const proposal = async (id: string, apiKey: string) => (await app.get(`${BASE}/proposals/${id}`, by(apiKey))).body;

it('count as the guide says, whoever votes first', async () => {
  const { apiKey: admin, accountId } = await app.anotherAccount('example');
  const [ann, bob, cid] = await Promise.all([1, 2, 3].map(() => app.key({ accountId, role: 'operator' })));
  const ids = await Promise.all([ann!, bob!, cid!].map(async (key) => (await balance(key)).holder_id));
  for (const [at, amount] of ['100.9', '50', '30'].entries())
    await app.post(`${BASE}/tokens/transfer`, { address: ids[at], amount }, by(admin));
  const delegate = (to: number, amount: string) =>
    app.post(`${BASE}/tokens/delegate`, { delegate_address: ids[to], amount }, by(ann!));
  await delegate(1, '40.5');
  const late = (await delegate(2, '20')).body;
  const { id } = await propose(admin);
  // What changes later does not count.
  await app.call('DELETE', `${BASE}/tokens/delegations/${late.delegation_id}`, undefined, by(ann!));
  expect((await vote(id, 'against', 90, by(bob!))).body).toMatchObject({ counted: 90, own: 50, received: 40 });
  expect(await proposal(id, admin)).toMatchObject({ votes_for: 0, votes_against: 90, voters: 1 });
  const mine = await vote(id, 'for', 90, by(ann!));
  expect([mine.status, mine.body]).toMatchObject([
    201,
    { counted: 90, own: 40, taken_back: 50, received: 0, revision: 1, voting_power: 90, vote: 'for' },
  ]);
  expect(await proposal(id, admin)).toMatchObject({ votes_for: 90, votes_against: 50, voters: 2 });
  expect((await vote(id, 'for', 50, by(cid!))).body).toMatchObject({ counted: 40, own: 30, received: 20 });
  const listed = (await app.get(`${BASE}/votes/${id}`, by(admin))).body.data;
  expect(new Map(listed.map(({ holder_id, counted }: Json) => [holder_id, counted]))).toEqual(
    new Map([90, 50, 40].map((counted, at) => [ids[at], counted])),
  );
  // What was cast is locked, with what was taken back.
  expect(await balance(ann!)).toMatchObject({ balance: '100.90000000', locked: '100.90000000' });
  expect((await vote(id, 'for', 0, by(ann!))).body).toMatchObject({ counted: 0, revision: 2 });
  expect(await balance(ann!)).toMatchObject({ locked: '40.50000000', available: '60.40000000' });
  expect(await proposal(id, admin)).toMatchObject({ votes_for: 50, votes_against: 90, voters: 2 });
  expect((await app.get(`${BASE}/votes`, by(ann!))).body.data).toMatchObject([{ proposal_id: id, revision: 2 }]);
  expect((await app.call('DELETE', `${BASE}/proposals/${id}?reason=over`, undefined, by(admin))).status).toBe(200);
  expect(await balance(cid!)).toMatchObject({ locked: '0.00000000' });
  // Nor is what was cast on a proposal that is over, before anybody has read of its end.
  const over = await propose(admin);
  await vote(over.id, 'for', 30, by(cid!));
  const give = () => app.post(`${BASE}/tokens/transfer`, { address: ids[0], amount: '30' }, by(cid!));
  expect(slug(await give())).toEqual([422, 'insufficient_funds', 'amount']);
  app.advance(72 * 3_600_000);
  expect((await give()).status).toBe(201);
  expect(slug(await vote(id, 'for', 1, by(cid!)))).toEqual([409, 'state_conflict', 'id']);
});

it('are refused with the field that is wrong, and ten a minute are taken', async () => {
  const { apiKey } = await app.anotherAccount('refused votes');
  const { id } = await propose(apiKey);
  const stranger = (await propose((await app.anotherAccount('a stranger to votes')).apiKey)).id;
  const cases: [string, unknown, unknown, unknown[]][] = [
    [id, 'for', 1_000_001, [422, 'insufficient_funds', 'voting_power']],
    [id, 'for', -1, [400, 'invalid_value', 'voting_power']],
    [id, 'for', 1.5, [400, 'invalid_value', 'voting_power']],
    [id, 'for', 2 ** 53, [400, 'invalid_value', 'voting_power']],
    [id, 'for', '1', [400, 'invalid_value', 'voting_power']],
    [id, 'abstain', 1, [400, 'invalid_value', 'vote']],
    [stranger, 'for', 1, [404, 'not_found', 'id']],
  ];
  for (const [of, side, power, expected] of cases)
    expect(slug(await vote(of, side, power, by(apiKey))), `${side} ${power}`).toEqual(expected);
  const padded = `{"vote":"for","voting_power":1${' '.repeat(4_096)}}`;
  expect(slug(await app.post(`${BASE}/proposals/${id}/vote`, padded, by(apiKey))).slice(0, 2)).toEqual([
    422,
    'too_large',
  ]);
  expect((await app.get(`${BASE}/votes/${stranger}`, by(apiKey))).status).toBe(404);
  const self = { delegate_address: (await balance(apiKey)).holder_id, amount: '1' };
  expect((await app.post(`${BASE}/tokens/delegate`, self, by(apiKey))).headers['x-ratelimit-limit']).toBe('10');
  await vote(id, 'for', 2, by(apiKey));
  expect(slug(await vote(id, 'for', 3, by(apiKey)))[0]).toBe(429);
  expect((await app.get(`${BASE}/votes`, by(apiKey))).body.data).toMatchObject([{ voting_power: 2 }]);
});

it('keep the signed request, of a key or of a person whose signature stands alone', async () => {
  const { publicJwk, privateJwk } = app.app.services.signingKeys.newPair();
  const person = { username: 'voter', password: PASSWORD, role: 'operator', scopes: ['governance:write'] };
  const { user_id } = (await app.post('/api/v1/users', { ...person, public_key: publicJwk })).body;
  await app.login({ username: 'voter', password: PASSWORD }, { sign: privateJwk });
  await app.post(`${BASE}/tokens/transfer`, { address: user_id, amount: '7' });
  const { id } = await propose(app.adminKey);
  const alone = (sign: PrivateJwk) => ({ apiKey: null, sign });
  expect((await vote(id, 'for', 7, alone(privateJwk))).body).toMatchObject({ holder_id: user_id, counted: 7 });
  expect((await vote(id, 'for', 5, alone(app.pairOf(app.adminKey)))).body).toMatchObject({ revision: 1 });
  expect((await vote(id, 'against', 6)).body).toMatchObject({ revision: 2 });
  const { data } = (await app.get(`${BASE}/votes/${id}`)).body;
  expect(data.map(({ proof: { kind, body } }: Json) => `${kind} ${body}`).sort()).toEqual([
    'request {"vote":"against","voting_power":6}',
    'request {"vote":"for","voting_power":7}',
  ]);
  expect(data[0].proof.base).toContain(`"@path": ${BASE}/proposals/${id}/vote`);
  expect(await proposal(id, app.adminKey)).toMatchObject({ votes_for: 7, votes_against: 6, voters: 2 });
});
