/** Proposals of an account's DAO: who makes them, how they end, and who cancels them. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Json, startTestApp, type TestApp } from '../../builders/app.ts';

let app: TestApp;
let offset = 0;
beforeAll(async () => {
  app = await startTestApp({ clock: () => Date.now() + offset });
});
afterAll(() => app.close());

const AT = '/v1/governance/proposals';
const HOUR = 3_600_000;
const text = (more: Json = {}) => ({ title: 'A title', description: 'Why', type: 'text', parameters: {}, ...more });
const by = (apiKey: string) => ({ apiKey });
const make = (body: Json = text(), apiKey?: string) => app.post(AT, body, apiKey === undefined ? {} : by(apiKey));
const cancel = (id: string, reason?: string, apiKey?: string) =>
  app.call(
    'DELETE',
    `${AT}/${id}${reason === undefined ? '' : `?reason=${encodeURIComponent(reason)}`}`,
    undefined,
    apiKey === undefined ? {} : by(apiKey),
  );
const slug = ({ status, body }: { status: number; body: Json }) => [
  status,
  body.error?.details.code,
  body.error?.details.field,
];
/** A key with so many tokens. */
async function holder(amount: string, more: Json = {}): Promise<string> {
  const apiKey = await app.key({ role: 'operator', ...more });
  const { holder_id } = (await app.get('/v1/governance/tokens/balance', by(apiKey))).body;
  const mint = { address: holder_id, amount, reason: 'for the test' };
  expect((await app.post('/v1/governance/tokens/mint', mint)).status).toBe(201);
  return apiKey;
}

it('is made as the interface says, with a copy of all parameters, and listed', async () => {
  const body = { title: ' More time ', description: 'd', type: 'parameter_change', parameters: { quorum_percent: 30 } };
  const made = await make(body);
  expect(made.status, made.text).toBe(201);
  const { parameters } = (await app.get('/v1/governance/dao/parameters')).body as { parameters: Json[] };
  expect(made.body).toMatchObject({
    ...{ title: 'More time', type: 'parameter_change', status: 'active', votes_for: 0, votes_against: 0, voters: 0 },
    ...{ total_power: 1_000_000, parameters: { quorum_percent: 30 } },
    settings: Object.fromEntries(parameters.map(({ name, value }) => [name, value])),
  });
  expect(Date.parse(made.body.expires_at) - Date.parse(made.body.created_at)).toBe(72 * HOUR);
  expect((await app.get(`${AT}/${made.body.id}`)).body).toEqual(made.body);
  const second = (await make({ title: 'b', description: 'd', type: 'text' })).body;
  const { proposals, ...page } = (await app.get(`${AT}?status=active`)).body;
  expect(page).toEqual({ total: 2, limit: 20, offset: 0 });
  const { settings: _, parameters: __, snapshot_seq: ___, ...listed } = made.body;
  expect(proposals[0].id).toBe(second.id);
  expect(proposals[1]).toEqual(listed);
  expect((await app.get(`${AT}?limit=1&offset=1`)).body.proposals.map(({ id }: Json) => id)).toEqual([made.body.id]);
  const stranger = await app.anotherAccount('stranger');
  expect((await app.get(AT, by(stranger.apiKey))).body.total).toBe(0);
  expect((await app.get(`${AT}/${made.body.id}`, by(stranger.apiKey))).status).toBe(404);
});

it('is refused with what is wrong', async () => {
  const poor = await holder('0.99999999');
  const viewer = await app.key({ role: 'viewer' });
  const cases: [Json, unknown[], string?][] = [
    [text({ type: 'coup' }), [400, 'unsupported', 'type']],
    [text({ title: ' ' }), [400, 'invalid_value', 'title']],
    [text({ title: 'x'.repeat(201) }), [400, 'invalid_value', 'title']],
    [text({ description: 'x'.repeat(10_001) }), [400, 'invalid_value', 'description']],
    [text({ description: 'a\u0000b' }), [400, 'invalid_value', 'description']],
    [text({ parameters: [] }), [400, 'invalid_value', 'parameters']],
    [text({ parameters: { a: 1 } }), [400, 'invalid_value', 'parameters.a']],
    [
      text({ type: 'parameter_change', parameters: { quorum_percent: 101 } }),
      [400, 'invalid_value', 'parameters.quorum_percent'],
    ],
    [
      text({ type: 'parameter_change', parameters: Object.fromEntries(Array.from({ length: 8 }, (_, at) => [at, 1])) }),
      [400, 'invalid_value', 'parameters'],
    ],
    [
      text({ type: 'treasury_change', parameters: { wallet_id: 'w'.repeat(501) } }),
      [400, 'invalid_value', 'parameters.wallet_id'],
    ],
    [text({ more: 1 }), [400, 'invalid_value', 'more']],
    [text(), [422, 'insufficient_funds', ''], poor],
    [text(), [403, 'forbidden', ''], viewer],
  ];
  for (const [body, expected, apiKey] of cases)
    expect(slug(await make(body, apiKey)), JSON.stringify(body)).toEqual(expected);
  expect((await make(text({ type: 'coup' }))).body.error.message).toContain('text, parameter_change');
  expect(slug(await app.get(`${AT}/prp_1`))).toEqual([400, 'invalid_value', 'id']);
  expect(slug(await app.get(`${AT}?status=open`))).toEqual([400, 'invalid_value', 'query.status']);
});

it('is made a hundred times in an hour by a holder, of whose fifty at most are active', async () => {
  const apiKey = await holder('1', { tier: 'custom', limits: { requests_per_minute: 1_000 } });
  for (let round = 0; round < 2; round++) {
    const answers = await Promise.all(Array.from({ length: 51 }, () => make(text(), apiKey)));
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(50).fill(201), round === 0 ? 409 : 429]);
    for (const { status, body } of answers)
      if (status === 201) expect((await cancel(body.id, undefined, apiKey)).status).toBe(200);
  }
  const refused = await make(text(), apiKey);
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(3_500);
  offset += HOUR;
  expect((await make(text(), apiKey)).status).toBe(201);
});

it('is voted on at no time before it was made, though a clock goes back', async () => {
  const { id, created_at } = (await make()).body;
  offset -= 5_000;
  const cast = await app.post(`${AT}/${id}/vote`, { vote: 'for', voting_power: 1 });
  offset += 5_000;
  expect(cast.status, cast.text).toBe(201);
  expect(Date.parse(cast.body.cast_at)).toBeGreaterThanOrEqual(Date.parse(created_at));
});

it('is cancelled by its proposer before the first vote, or by an administrator who says why', async () => {
  const apiKey = await holder('5');
  const other = await holder('5');
  const { id } = (await make(text(), apiKey)).body;
  expect(slug(await cancel(id, 'no', other))).toEqual([403, 'forbidden', '']);
  expect(slug(await cancel(id))).toEqual([400, 'invalid_value', 'query.reason']);
  const gone = await cancel(id, undefined, apiKey);
  expect(gone.body).toMatchObject({ status: 'rejected', cancel_reason: null, cancelled_at: gone.body.ended_at });
  expect(slug(await cancel(id, undefined, apiKey))).toEqual([409, 'state_conflict', 'id']);
  const voted = (await make(text(), apiKey)).body.id;
  await app.app.store.write((tx) =>
    tx.proposals.update({ accountId: app.accountId, proposalId: voted }, { votesFor: 1n, voters: 1 }),
  );
  expect(slug(await cancel(voted, 'mine', apiKey))).toEqual([409, 'state_conflict', 'id']);
  expect((await cancel(voted, ' spam ')).body).toMatchObject({ status: 'rejected', cancel_reason: 'spam' });
  // Made as an administrator, who is an operator by now.
  const made = (await app.app.store.read.proposals.find(app.accountId, id))!;
  const proposalId = 'prp_0000000000000000000001';
  const higher = { ...made, status: 'active', proposalId, initiator: { ...made.initiator, role: 'admin' } } as const;
  await app.app.store.write(async (tx) => {
    await tx.proposals.insert(higher);
    const { activeProposals: active, proposals } = (await tx.governance.lockDao(app.accountId))!;
    await tx.governance.updateDao(app.accountId, { activeProposals: active + 1, proposals: proposals + 1 });
  });
  expect(slug(await cancel(proposalId, undefined, apiKey))).toEqual([403, 'forbidden', '']);
  expect(slug(await cancel('prp_0000000000000000000000', 'x'))).toEqual([404, 'not_found', 'id']);
});

it('ends when its time is over, for whoever asks first, and stays so where the clock is set back', async () => {
  const { id } = (await make()).body;
  await app.app.store.write((tx) =>
    tx.proposals.update({ accountId: app.accountId, proposalId: id }, { votesFor: 200_100n, voters: 1 }),
  );
  offset += 72 * HOUR;
  const ended = (await app.get(`${AT}/${id}`)).body;
  expect(ended).toMatchObject({ status: 'passed', ended_at: ended.expires_at });
  expect((await app.get(`${AT}?status=active`)).body.total).toBe(0);
  offset -= 72 * HOUR;
  expect((await app.get(`${AT}/${id}`)).body.status).toBe('passed');
  expect(slug(await cancel(id, 'late'))).toEqual([409, 'state_conflict', 'id']);
  expect((await make()).body.created_at >= ended.ended_at).toBe(true);
});

it('is counted in the status of the DAO, as is what can vote', async () => {
  const { apiKey } = await app.anotherAccount('status');
  const status = async () => (await app.get('/v1/governance/dao/status', by(apiKey))).body;
  const before = { active_proposals: 0, total_voting_power: 1_000_000, treasury_balance: '0.00000000' };
  expect(await status()).toEqual({ ...before, governance_token_supply: '1000000.00000000' });
  const { id } = (await make(text(), apiKey)).body;
  await make(text(), apiKey);
  const { holder_id: address } = (await app.get('/v1/governance/tokens/balance', by(apiKey))).body;
  await app.post('/v1/governance/tokens/burn', { address, amount: '0.5', reason: 'test' }, by(apiKey));
  const now = { total_voting_power: 999_999, governance_token_supply: '999999.50000000' };
  expect(await status()).toMatchObject({ ...now, active_proposals: 2 });
  await cancel(id, undefined, apiKey);
  expect((await status()).active_proposals).toBe(1);
  const wallet = { name: 'treasury', type: 'segwit', backup_type: 'none' };
  const { wallet_id } = (await app.post('/api/v1/wallets', wallet, by(apiKey))).body;
  const deposit = (await app.post(`/api/v1/wallets/${wallet_id}/addresses`, undefined, by(apiKey))).body.address;
  expect((await app.call('PUT', '/v1/governance/dao/treasury', { wallet_id }, by(apiKey))).status).toBe(200);
  await app.post('/api/v1/bitcoin/blocks', { count: 1, address: deposit });
  await app.post('/api/v1/bitcoin/blocks', { count: 100 });
  await app.synced();
  expect((await status()).treasury_balance).toBe('50.00000000');
  offset += 72 * HOUR;
  expect((await status()).active_proposals).toBe(0);
  offset -= 72 * HOUR;
  expect((await status()).active_proposals).toBe(0);
});
