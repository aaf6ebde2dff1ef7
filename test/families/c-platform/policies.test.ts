/** Rules, groups and the enterprise config over HTTP. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CallOptions, type Json, startTestApp, type TestAnswer, type TestApp } from '../../builders/app.ts';

const BASE = '/api/v1/enterprise';
let app: TestApp;
let walletId: string;
let person: Json;
let keyId: string;

beforeAll(async () => {
  app = await startTestApp();
  walletId = (await made('/api/v1/wallets', { name: 'treasury', type: 'segwit', backup_type: 'none' })).wallet_id;
  const user = { username: 'ada', password: 'correct horse battery staple', role: 'operator', scopes: ['*'] };
  person = await made('/api/v1/users', user);
  keyId = (await made('/api/v1/api-keys', { name: 'bot', scopes: ['*'], role: 'operator' })).api_key_id;
});
afterAll(() => app.close());

async function made(path: string, body: Json, options: CallOptions = {}): Promise<Json> {
  const answer = await app.post(path, body, options);
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
}
const patch = (path: string, body: Json) => app.call('PATCH', `${BASE}${path}`, body);
const put = (body: Json, headers: Record<string, string> = {}) => app.call('PUT', `${BASE}/config`, body, { headers });
const remove = (path: string) => app.call('DELETE', `${BASE}${path}`);
const refusal = ({ status, body: { error } }: TestAnswer) => [status, error?.details.code, error?.details.field];
const deny = { action: 'deny', message: 'no' };
const approve = (from: Json, required = 1) => ({ action: 'approve', required, from, expires_in_hours: 24 });
const newRule = (given: Json = {}) => made(`${BASE}/policies`, { name: 'rule', then: deny, ...given });
const positions = async () =>
  (await app.get(`${BASE}/policies`)).body.data.map(({ policy_id, position }: Json) => [policy_id, position]);
async function cleared(): Promise<void> {
  for (const { policy_id } of (await app.get(`${BASE}/policies?limit=100`)).body.data) {
    expect((await remove(`/policies/${policy_id}`)).status).toBe(204);
  }
  await put({});
}

const NO_KEYS = { apiKeyIds: [], oauthClientIds: [] };

describe('rules', () => {
  it('are answered as they were written, with every condition', async () => {
    const group = await made(`${BASE}/groups`, { name: 'desk', user_ids: [person.user_id], api_key_ids: [keyId] });
    const bank = { name: 'bank', address: 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080', tags: ['exchange'] };
    const entry = await made(`${BASE}/address-book`, bank);
    const when = {
      operations: ['payment', 'bump'],
      wallets: [walletId],
      assets: ['BTC'],
      initiators: {
        roles: ['operator'],
        user_ids: [person.user_id],
        api_key_ids: [keyId],
        groups: [group.group_id],
      },
      destinations: { address_book: [entry.address_book_id, 'exchange'], outside: true },
      amount_over: '0.50000000',
      window: { hours: 24, per: 'wallet', amount_over: '1.00000000' },
      fee_over: { share: '0.05', amount: '0.00010000' },
      hours: { timezone: 'Europe/Zurich', days: ['saturday', 'sunday'], from: '18:00', to: '08:00' },
    };
    const then = approve({ roles: ['admin'], user_ids: [person.user_id], groups: [group.group_id] });
    const rule = await newRule({ name: 'all of it', enabled: false, when, then });
    expect(rule).toMatchObject({ name: 'all of it', enabled: false, position: 1, when, then, missing: [] });
    expect((await app.get(`${BASE}/policies/${rule.policy_id}`)).body).toEqual(rule);
    const changed = await patch(`/policies/${rule.policy_id}`, { when: {}, enabled: true });
    expect(changed.body).toMatchObject({ when: {}, enabled: true, name: 'all of it', then });
    expect((await app.get(`${BASE}/policies?enabled=false`)).body.pagination.total).toBe(0);
    await cleared();
  });

  it('stand in an order without gaps, wherever they are put', async () => {
    const [a, b, c] = [await newRule(), await newRule(), await newRule({ position: 1 })].map((rule) => rule.policy_id);
    expect(await positions()).toEqual([
      [c, 1],
      [a, 2],
      [b, 3],
    ]);
    await patch(`/policies/${c}`, { position: 3 });
    expect(await positions()).toEqual([
      [a, 1],
      [b, 2],
      [c, 3],
    ]);
    await patch(`/policies/${c}`, { position: 2 });
    expect(await positions()).toEqual([
      [a, 1],
      [c, 2],
      [b, 3],
    ]);
    const page = (await app.get(`${BASE}/policies?limit=2`)).body;
    expect(page.pagination).toMatchObject({ total: 3, has_more: true });
    const rest = (await app.get(`${BASE}/policies?limit=2&cursor=${page.pagination.next_cursor}`)).body;
    expect(rest.data.map(({ policy_id }: Json) => policy_id)).toEqual([b]);
    expect((await remove(`/policies/${a}`)).status).toBe(204);
    expect(await positions()).toEqual([
      [c, 1],
      [b, 2],
    ]);
    expect(refusal(await patch(`/policies/${c}`, { position: 3 }))).toEqual([400, 'invalid_value', 'position']);
    await cleared();
  });

  const nobody = 'usr_3mVb1k7Q2xYt9LpRw0Zc5A';
  it.each<[string, Json, unknown[]]>([
    ['no action', { then: {} }, [400, 'invalid_value', 'then.action']],
    ['an amount that is a number', { when: { amount_over: 1 } }, [400, 'invalid_value', 'when.amount_over']],
    [
      'a window of two kinds',
      { when: { window: { hours: 1, per: 'account', amount_over: '1', count_over: 1 } } },
      [400, 'invalid_value', 'when.window'],
    ],
    ['a window of no kind', { when: { window: { hours: 1, per: 'account' } } }, [400, 'invalid_value', 'when.window']],
    ['a share above all', { when: { fee_over: { share: '1.5' } } }, [400, 'invalid_value', 'when.fee_over.share']],
    [
      'no such time zone',
      { when: { hours: { timezone: 'Mars/Base', from: '09:00', to: '17:00' } } },
      [400, 'invalid_value', 'when.hours.timezone'],
    ],
    [
      'no time of day',
      { when: { hours: { timezone: 'UTC', from: '9:00', to: '24:00' } } },
      [400, 'invalid_value', 'when.hours.from'],
    ],
    ['nobody to approve', { then: approve({}) }, [400, 'invalid_value', 'then.from']],
    ['one named twice', { when: { operations: ['bump', 'bump'] } }, [400, 'invalid_value', 'when.operations']],
    [
      'a person who is not there',
      { then: approve({ user_ids: [nobody] }) },
      [404, 'not_found', 'then.from.user_ids[0]'],
    ],
    [
      'a wallet that is not there',
      { when: { wallets: ['wal_3mVb1k7Q2xYt9LpRw0Zc5A'] } },
      [404, 'not_found', 'when.wallets[0]'],
    ],
    [
      'more approvals than people',
      { then: approve({ roles: ['admin'] }, 3) },
      [422, 'policy_refused', 'then.required'],
    ],
    ['a place beyond the last', { position: 5 }, [400, 'invalid_value', 'position']],
    ['an unknown condition', { when: { amount: '1' } }, [400, 'invalid_value', 'when.amount']],
  ])('with %s are refused', async (_name, given, expected) => {
    const answer = await app.post(`${BASE}/policies`, { name: 'rule', then: deny, ...given });
    expect(refusal(answer), answer.text).toEqual(expected);
  });

  it('have windows of at most 10 different lengths per destination, where they are enabled', async () => {
    const window = (hours: number, per = 'destination') => ({ window: { hours, per, amount_over: '1' } });
    const refused = [422, 'policy_refused', 'when.window.hours'];
    for (let hours = 1; hours <= 10; hours++) await newRule({ when: window(hours) });
    const eleventh = { name: 'rule', then: deny, when: window(11) };
    expect(refusal(await app.post(`${BASE}/policies`, eleventh))).toEqual(refused);
    await newRule({ when: window(10) });
    await newRule({ when: window(11, 'account') });
    const off = await newRule({ when: window(11), enabled: false });
    expect(refusal(await patch(`/policies/${off.policy_id}`, { enabled: true }))).toEqual(refused);
    const all = (hours: number) => Array.from({ length: hours }, (_, at) => ({ ...eleventh, when: window(at + 1) }));
    const replayed = async (policies: Json[]) =>
      app.post(`${BASE}/policies/replay`, { policies, from: '2020-01-01T00:00:00Z' });
    expect(refusal(await replayed(all(11)))).toEqual([422, 'policy_refused', 'policies']);
    expect((await replayed(all(10))).status).toBe(200);
    await cleared();
  });

  it('belong to their account, and are for administrators to change', async () => {
    const rule = await newRule();
    const { apiKey } = await app.anotherAccount();
    expect((await app.get(`${BASE}/policies/${rule.policy_id}`, { apiKey })).status).toBe(404);
    expect((await app.get(`${BASE}/policies`, { apiKey })).body.data).toEqual([]);
    const other = { name: 'rule', when: { wallets: [walletId] }, then: deny };
    expect((await app.post(`${BASE}/policies`, other, { apiKey })).status).toBe(404);
    const operator = await app.key({ role: 'operator', scopes: ['*'] });
    expect((await app.get(`${BASE}/policies`, { apiKey: operator })).status).toBe(200);
    expect((await app.post(`${BASE}/policies`, { name: 'x', then: deny }, { apiKey: operator })).status).toBe(403);
    await cleared();
  });

  it('show what they name and is gone', async () => {
    const { api_key_id } = await made('/api/v1/api-keys', { name: 'gone', scopes: ['*'] });
    await newRule({ when: { initiators: { api_key_ids: [keyId, api_key_id] } } });
    await app.call('DELETE', `/api/v1/api-keys/${api_key_id}`);
    expect((await app.get(`${BASE}/policies`)).body.data[0].missing).toEqual([api_key_id]);
    await cleared();
  });

  it('go on naming a key that is rotated', async () => {
    const { api_key_id } = await made('/api/v1/api-keys', { name: 'rotated', scopes: ['*'] });
    const group = await made(`${BASE}/groups`, { name: 'keys', api_key_ids: [api_key_id] });
    const rule = await newRule({ when: { initiators: { roles: ['viewer'], api_key_ids: [api_key_id] } } });
    const next = (await made(`/api/v1/api-keys/${api_key_id}/rotate`, {})).api_key_id;
    const { when } = (await app.get(`${BASE}/policies/${rule.policy_id}`)).body;
    expect(when.initiators).toEqual({ roles: ['viewer'], api_key_ids: [api_key_id, next] });
    const members = (await app.get(`${BASE}/groups/${group.group_id}`)).body.api_key_ids;
    expect(members).toEqual([api_key_id, next]);
    const said = await app.post(`${BASE}/policies/evaluate`, { initiator: { api_key_id: next } });
    expect(said.body.action).toBe('deny');
    await cleared();
  });

  const filled = (count: number, when: object) =>
    app.app.store.write(async (tx) => {
      for (const { policyId } of await tx.policies.list(app.accountId))
        await tx.policies.delete(app.accountId, policyId);
      const old = { accountId: app.accountId, name: 'x', enabled: false, when, then: deny as never };
      for (let i = 1; i <= count; i++)
        await tx.policies.insert({
          ...old,
          policyId: `pol_${String(i).padStart(22, '0')}`,
          position: i,
          createdAt: 0,
          updatedAt: 0,
        });
    });

  it('are at most 200', async () => {
    await filled(200, {});
    expect(refusal(await app.post(`${BASE}/policies`, { name: 'x', then: deny }))).toEqual([422, 'policy_refused', '']);
    await filled(0, {});
  });

  it('name at most 5,000 together', async () => {
    const tags = Array.from({ length: 100 }, (_, at) => `tag ${at}`);
    await filled(50, { destinations: { tags } });
    const naming = (count: number) => ({ destinations: { address_book: tags.slice(0, count) } });
    const one = `/policies/pol_${'1'.padStart(22, '0')}`;
    const create = (count: number) => app.post(`${BASE}/policies`, { name: 'x', when: naming(count), then: deny });
    const refused = await create(1);
    expect(refusal(refused)).toEqual([422, 'policy_refused', '']);
    expect(refused.body.error.message).toContain('these would name 5001');
    expect((await patch(one, { when: naming(99) })).status).toBe(200);
    expect((await create(1)).status).toBe(201);
    expect(refusal(await patch(one, { when: naming(100) }))).toEqual([422, 'policy_refused', '']);
    await filled(51, { destinations: { tags } });
    expect((await patch(one, { when: naming(99) })).status).toBe(200);
    await filled(0, {});
  });
});

describe('groups', () => {
  it('have at most 20,000 members together', async () => {
    const userIds = Array.from({ length: 1_000 }, (_, at) => `usr_${at}`);
    const times = { createdAt: 0, updatedAt: 0 };
    const full = Array.from({ length: 20 }, (_, at) => `grp_${String(at).padStart(22, '0')}`);
    await app.app.store.write(async (tx) => {
      for (const groupId of full)
        await tx.groups.insert({ groupId, accountId: app.accountId, name: 'x', userIds, ...NO_KEYS, ...times });
    });
    const one = { name: 'x', user_ids: [person.user_id] };
    expect(refusal(await app.post(`${BASE}/groups`, one))).toEqual([422, 'policy_refused', '']);
    expect((await patch(`/groups/${full[0]}`, { user_ids: [] })).status).toBe(200);
    expect((await app.post(`${BASE}/groups`, one)).status).toBe(201);
    await app.app.store.write(async (tx) => {
      for (const { groupId } of await tx.groups.all(app.accountId)) await tx.groups.delete(app.accountId, groupId);
    });
  });

  it('are made, changed and deleted, but not while a rule names them', async () => {
    const group = await made(`${BASE}/groups`, { name: 'board', user_ids: [person.user_id] });
    expect((await app.get(`${BASE}/groups/${group.group_id}`)).body).toEqual(group);
    expect((await app.get(`${BASE}/groups?name=board`)).body.data).toEqual([group]);
    const rule = await newRule({ name: 'large', then: approve({ groups: [group.group_id] }) });
    const emptied = await patch(`/groups/${group.group_id}`, { user_ids: [] });
    expect(refusal(emptied)).toEqual([422, 'policy_refused', 'then.required']);
    const refused = await remove(`/groups/${group.group_id}`);
    expect(refusal(refused)).toEqual([409, 'state_conflict', 'group_id']);
    expect(refused.body.error.message).toContain('rule "large"');
    await remove(`/policies/${rule.policy_id}`);
    expect((await patch(`/groups/${group.group_id}`, { user_ids: [], api_key_ids: [keyId] })).body.api_key_ids).toEqual(
      [keyId],
    );
    expect((await remove(`/groups/${group.group_id}`)).status).toBe(204);
    expect((await app.get(`${BASE}/groups/${group.group_id}`)).status).toBe(404);
  });

  it('have members of their account alone', async () => {
    const answer = await app.post(`${BASE}/groups`, { name: 'x', api_key_ids: [keyId, 'key_3mVb1k7Q2xYt9LpRw0Zc5A'] });
    expect(refusal(answer)).toEqual([404, 'not_found', 'api_key_ids[1]']);
    const twice = await app.post(`${BASE}/groups`, { name: 'x', api_key_ids: [keyId, keyId] });
    expect(refusal(twice)).toEqual([400, 'invalid_value', 'api_key_ids']);
  });
});

describe('the enterprise config', () => {
  it('has defaults, is replaced as a whole, and counts every change', async () => {
    const { apiKey } = await app.anotherAccount('config');
    const fresh = await app.get(`${BASE}/config`, { apiKey });
    const defaults = {
      default_action: 'allow',
      internal_wallets: [],
      address_book_delay_hours: 0,
      travel_rule: null,
      policy_change: null,
    };
    expect([fresh.body, fresh.headers.etag]).toEqual([{ ...defaults, version: 0, updated_at: null }, '"0"']);
    const set = await app.call('PUT', `${BASE}/config`, { default_action: 'deny' }, { apiKey });
    expect([set.body, set.headers.etag]).toMatchObject([{ ...defaults, default_action: 'deny', version: 1 }, '"1"']);
    await app.post(`${BASE}/policies`, { name: 'x', then: deny }, { apiKey });
    expect((await app.get(`${BASE}/config`, { apiKey })).body).toMatchObject({ default_action: 'deny', version: 2 });
    expect((await app.call('PUT', `${BASE}/config`, {}, { apiKey })).body).toMatchObject({ ...defaults, version: 3 });
  });

  it('is replaced only where If-Match names its version, and a retry is answered with the same ETag', async () => {
    const { etag = '' } = (await put({ internal_wallets: [walletId] })).headers;
    const first = await app.call(
      'PUT',
      `${BASE}/config`,
      {},
      { headers: { 'if-match': etag }, idempotencyKey: 'once' },
    );
    expect(first.status).toBe(200);
    expect(refusal(await put({}, { 'if-match': etag }))).toEqual([412, 'precondition_failed', 'headers.if-match']);
    expect(refusal(await put({}, { 'if-match': `W/${first.headers.etag}` }))[0]).toBe(412);
    expect((await put({}, { 'if-match': `"x", ${first.headers.etag}` })).status).toBe(200);
    expect((await put({}, { 'if-match': '*' })).status).toBe(200);
    const again = await app.call(
      'PUT',
      `${BASE}/config`,
      {},
      { headers: { 'if-match': etag }, idempotencyKey: 'once' },
    );
    expect([again.body, again.headers.etag]).toEqual([first.body, first.headers.etag]);
  });

  it('locks nobody out, and names only what is there', async () => {
    const change = (from: Json, required: number) => put({ policy_change: { required, from } });
    expect(refusal(await change({ roles: ['admin'] }, 1))).toEqual([422, 'policy_refused', 'policy_change.required']);
    expect(refusal(await change({ user_ids: [person.user_id] }, 2))[1]).toBe('policy_refused');
    const answer = await put({ internal_wallets: [walletId, 'wal_3mVb1k7Q2xYt9LpRw0Zc5A'] });
    expect(refusal(answer)).toEqual([404, 'not_found', 'internal_wallets[1]']);
  });
});

describe('what the rules would say', () => {
  const OUT = 'bcrt1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qzf4jry';
  const said = async (given: Json) => app.post(`${BASE}/policies/evaluate`, given);
  const paying = (amount: string) => ({ wallet_id: walletId, recipients: [{ address: OUT, amount }] });

  it('names each rule with its figures, and what is to be approved', async () => {
    expect((await said(paying('1'))).body).toEqual({ action: 'allow', rules: [], message: null, requirements: [] });
    const large = await newRule({ name: 'large', when: { amount_over: '1' }, then: approve({ roles: ['operator'] }) });
    await newRule({ name: 'bots', when: { amount_over: '2', initiators: { api_key_ids: [keyId] } } });
    expect((await said(paying('1'))).body.action).toBe('allow');
    expect((await said(paying('2.00000001'))).body).toEqual({
      action: 'approve',
      rules: [
        {
          ...{ policy_id: large.policy_id, name: 'large', action: 'approve' },
          matched: { amount_over: '2.00000001 above 1.00000000' },
        },
      ],
      message: null,
      requirements: [{ policy_id: large.policy_id, required: 1, from: { roles: ['operator'] }, expires_in_hours: 24 }],
    });
    const asBot = await said({ ...paying('2.1'), initiator: { api_key_id: keyId } });
    expect(asBot.body).toMatchObject({ action: 'deny', message: 'no' });
    expect((await said({ ...paying('2.1'), initiator: { user_id: person.user_id } })).body.action).toBe('approve');
    await cleared();
  });

  it('knows own wallets and the address book', async () => {
    const { address } = (await app.post(`/api/v1/wallets/${walletId}/addresses`)).body;
    const entry = await made(`${BASE}/address-book`, { name: 'known', address: OUT, tags: [] });
    await newRule({ when: { destinations: { outside: true } } });
    expect((await said({ wallet_id: walletId, recipients: [{ address, amount: '1' }] })).body.action).toBe('allow');
    expect((await said({ recipients: [{ address, amount: '1' }] })).body.action).toBe('deny');
    const { address_book_id } = entry;
    expect((await said({ recipients: [{ address_book_id, amount: '1' }] })).body.action).toBe('allow');
    const wrong = await said({ recipients: [{ address: 'nonsense', amount: '1' }] });
    expect(refusal(wrong)).toEqual([400, 'invalid_address', 'recipients[0].address']);
    expect(refusal(await said({ initiator: {} }))).toEqual([400, 'invalid_value', 'initiator.user_id']);
    await cleared();
  });
});

it('every change is on the audit log, and the resources are listed', async () => {
  const rule = await newRule();
  const { data } = (await app.get(`/api/v1/compliance/audit?target=${rule.policy_id}`)).body;
  expect(data).toMatchObject([{ operation: 'policy.create', target: rule.policy_id }]);
  const listed = (await app.get(BASE)).body;
  expect(listed.data[0]).toMatchObject({ name: 'policies', path: `${BASE}/policies` });
  await cleared();
});
