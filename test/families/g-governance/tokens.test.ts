/** Tokens of an account's DAO: where the first come from, who holds them, and how they move. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AccountId } from '../../../src/core/ids.ts';
import type { PrivateJwk } from '../../../src/core/request-signatures/signing-algorithm.ts';
import type { Json } from '../../builders/app.ts';
import { PASSWORD, startUsersApp, type UsersApp } from '../c-platform/users-app.ts';

let app: UsersApp;
beforeAll(async () => {
  app = await startUsersApp({ limits: true });
});
afterAll(() => app.close());

const BASE = '/v1/governance';
const by = (apiKey: string | null) => ({ apiKey });
const balanceOf = async (apiKey: string) => (await app.get(`${BASE}/tokens/balance`, by(apiKey))).body;
const move = (verb: string, body: Json, apiKey?: string) =>
  app.post(`${BASE}/tokens/${verb}`, body, apiKey === undefined ? {} : by(apiKey));
const slug = ({ status, body }: { status: number; body: Json }) => [
  status,
  body.error?.details.code,
  body.error?.details.field,
];

describe('a DAO', () => {
  it('is made once, with a million tokens of the oldest administrator’s key, however many ask at once', async () => {
    const { apiKey } = await app.anotherAccount('first use');
    const [first] = (await app.get('/api/v1/api-keys', by(apiKey))).body.data.slice(-1);
    const asked = await Promise.all([1, 2, 3].map(() => app.get(`${BASE}/tokens/supply`, by(apiKey))));
    for (const { body } of asked)
      expect(body).toEqual({ supply: '1000000.00000000', max_supply: '9007199254740991.00000000', admin_mint: true });
    expect(await balanceOf(apiKey)).toMatchObject({ balance: '1000000.00000000', holder_id: first.api_key_id });
    const history = (await app.get(`${BASE}/tokens/history`, by(apiKey))).body;
    expect([history.pagination.total, history.data[0]]).toMatchObject([
      1,
      { seq: 1, type: 'genesis', change: '1000000.00000000' },
    ]);
    const { parameters } = (await app.get(`${BASE}/dao/parameters`, by(apiKey))).body;
    expect(parameters[0]).toMatchObject({ name: 'voting_period_hours', value: 72, maximum: 8760, unit: 'hours' });
  });

  it('is not made for a frozen account, and answers in the family’s limits', async () => {
    const { apiKey, accountId } = await app.anotherAccount('frozen');
    await app.app.store.write((tx) => tx.accounts.freeze(accountId, app.now(), null));
    const answer = await app.get(`${BASE}/tokens/supply`, by(apiKey));
    expect(slug(answer).slice(0, 2)).toEqual([403, 'forbidden']);
    expect(answer.headers['x-ratelimit-limit']).toBe('100');
  });

  it('whose administrators may not mint has them burn their own tokens, and those of holders that are gone', async () => {
    const { apiKey, accountId } = await app.anotherAccount('no minting');
    const own = { address: (await balanceOf(apiKey)).holder_id, amount: '1', reason: 'r' };
    const { holder_id: address } = await balanceOf(await app.key({ accountId }));
    await move('transfer', { address, amount: '5' }, apiKey);
    await app.app.store.write(async (tx) => {
      const { parameters } = (await tx.governance.lockDao(accountId as AccountId))!;
      await tx.governance.updateDao(accountId as AccountId, { parameters: { ...parameters, admin_mint: false } });
    });
    expect((await move('burn', own, apiKey)).status).toBe(201);
    expect(slug(await move('burn', { ...own, address }, apiKey))).toEqual([409, 'state_conflict', 'address']);
    expect((await app.call('DELETE', `/api/v1/api-keys/${address}`, undefined, by(apiKey))).status).toBe(204);
    expect((await move('burn', { ...own, address }, apiKey)).status).toBe(201);
  });
});

describe('tokens', () => {
  it('are minted, transferred and burned, each change with its number', async () => {
    const other = await app.key({ role: 'operator', scopes: ['governance:write'] });
    const { holder_id, holder_address } = await balanceOf(other);
    const minted = await move('mint', { address: holder_address, amount: '10.5', reason: 'work' });
    expect([minted.status, minted.body]).toMatchObject([201, { type: 'mint', holder_id, balance: '10.50000000' }]);
    const { holder_id: admin } = await balanceOf(app.adminKey);
    const given = await move('transfer', { address: admin, amount: '0.00000001' }, other);
    expect(given.body).toMatchObject({ seq: minted.body.seq + 1, change: '-0.00000001', counterparty_id: admin });
    const burned = await move('burn', { address: holder_id, amount: '10.49999999', reason: 'over' });
    expect(burned.body).toMatchObject({ type: 'burn', balance: '0.00000000', reason: 'over' });
    const history = (await app.get(`${BASE}/tokens/history?address=${holder_address}`)).body.data as Json[];
    expect(history.map(({ type }) => type)).toEqual(['burn', 'transfer', 'mint']);
    const holder = (await app.get(`${BASE}/holders/${holder_address}`)).body;
    expect(holder).toMatchObject({ holder_id, kind: 'api_key', registered: false, available: '0.00000000' });
    expect((await app.get(`${BASE}/holders`)).body.data.map((one: Json) => one.holder_id)).toContain(holder_id);
  });

  it('are refused with the field that is wrong', async () => {
    const { holder_id } = await balanceOf(app.adminKey);
    const stranger = await balanceOf((await app.anotherAccount('stranger')).apiKey);
    const reason = 'r';
    const cases: [Promise<{ status: number; body: Json }>, unknown[]][] = [
      [move('transfer', { address: holder_id, amount: '1' }), [400, 'invalid_value', 'address']],
      [move('transfer', { address: stranger.holder_address, amount: '1' }), [404, 'not_found', 'address']],
      [move('transfer', { address: 'nonsense', amount: '1' }), [400, 'invalid_address', 'address']],
      [move('burn', { address: holder_id, amount: '1000001', reason }), [422, 'insufficient_funds', 'amount']],
      [move('mint', { address: holder_id, amount: '9007199254740991', reason }), [422, 'too_large', 'amount']],
      [move('mint', { address: holder_id, amount: '0', reason }), [400, 'invalid_value', 'amount']],
      [move('mint', { address: holder_id, amount: 5, reason }), [400, 'invalid_value', 'amount']],
      [move('mint', { address: holder_id, amount: '1' }), [400, 'invalid_value', 'reason']],
    ];
    for (const [asked, expected] of cases) expect(slug(await asked)).toEqual(expected);
    const operator = await app.key({ role: 'operator' });
    expect((await move('mint', { address: holder_id, amount: '1', reason }, operator)).status).toBe(403);
    await app.app.store.write(async (tx) => {
      const { parameters } = (await tx.governance.lockDao(app.accountId))!;
      await tx.governance.updateDao(app.accountId, { parameters: { ...parameters, admin_mint: false } });
    });
    expect(slug(await move('mint', { address: holder_id, amount: '1', reason }))).toEqual([409, 'state_conflict', '']);
    expect((await app.get(`${BASE}/tokens/supply`)).body.admin_mint).toBe(false);
  });

  it('stay with a key that is rotated', async () => {
    const { apiKey } = await app.anotherAccount('rotation');
    const before = await balanceOf(apiKey);
    const rotate = `/api/v1/api-keys/${before.holder_id}/rotate`;
    const rotated = await app.post(rotate, { overlap_seconds: 60 }, by(apiKey));
    app.remember(rotated.body.api_key, rotated.body.private_key);
    expect(await balanceOf(rotated.body.api_key)).toEqual(before);
    const answer = await app.get(`${BASE}/holders/${rotated.body.api_key_id}`, by(apiKey));
    expect(answer.body.holder_id).toBe(before.holder_id);
  });
});

it('tokens of a key that is revoked can be looked up and burned, and it gets no more', async () => {
  const { apiKey, accountId } = await app.anotherAccount('ended');
  const { holder_id, holder_address } = await balanceOf(apiKey);
  const admin = await app.key({ accountId, role: 'admin', mayGrant: true });
  const rotated = await app.post(`/api/v1/api-keys/${holder_id}/rotate`, { overlap_seconds: 0 }, by(apiKey));
  app.remember(rotated.body.api_key, rotated.body.private_key);
  const mint = () => move('mint', { address: holder_address, amount: '1', reason: 'x' }, admin);
  expect((await mint()).status).toBe(201);
  expect((await app.call('DELETE', `/api/v1/api-keys/${rotated.body.api_key_id}`, undefined, by(admin))).status).toBe(
    204,
  );
  expect((await app.get(`${BASE}/holders/${holder_address}`, by(admin))).body.holder_id).toBe(holder_id);
  expect(slug(await mint())).toEqual([409, 'state_conflict', 'address']);
  expect(slug(await move('transfer', { address: holder_id, amount: '1' }, admin))).toEqual([
    409,
    'state_conflict',
    'address',
  ]);
  expect((await move('burn', { address: holder_id, amount: '1000001', reason: 'x' }, admin)).body).toMatchObject({
    balance: '0.00000000',
  });
});

describe('a Bitcoin address', () => {
  const ADDRESS = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';
  const prove = async (apiKey: string, address = ADDRESS) => {
    const { message } = (await app.get(`${BASE}/address-proof?address=${address}`, by(apiKey))).body;
    const key = `${'0'.repeat(63)}1`;
    return app.app.services.messages.sign({ address: address.toLowerCase(), message, key, format: null }).signature;
  };
  const register = (apiKey: string, signature: string, address = ADDRESS) =>
    app.post(`${BASE}/holders`, { address, signature }, by(apiKey));

  it('is registered by who proves it, once, and names the holder from then on', async () => {
    const { apiKey } = await app.anotherAccount('addresses');
    const signature = await prove(apiKey, ADDRESS.toUpperCase());
    const made = await register(apiKey, signature, ADDRESS.toUpperCase());
    expect([made.status, made.body]).toMatchObject([201, { holder_address: ADDRESS, registered: true }]);
    expect(slug(await register(apiKey, signature))).toEqual([400, 'invalid_signature', 'signature']);
    expect((await app.get(`${BASE}/holders/${ADDRESS}`, by(apiKey))).body).toEqual(made.body);
    const accountId = (await app.get('/api/v1/accounts', by(app.adminKey))).body.data.find(
      (one: Json) => one.name === 'addresses',
    ).account_id;
    const sibling = await app.key({ accountId });
    expect(slug(await register(sibling, signature))).toEqual([400, 'invalid_signature', 'signature']);
    expect(slug(await register(sibling, await prove(sibling)))).toEqual([409, 'already_exists', 'address']);
    expect((await move('transfer', { address: ADDRESS, amount: '1' }, sibling)).status).toBe(422);
  });

  it('is proved within twenty minutes', async () => {
    const { apiKey } = await app.anotherAccount('late');
    const signature = await prove(apiKey);
    app.advance(20 * 60_000);
    expect(slug(await register(apiKey, signature))).toEqual([400, 'invalid_signature', 'signature']);
  });
});

describe('a signature alone', () => {
  it('is whoever the key is of: an API key, or a person with a session whose login it signed', async () => {
    const { publicJwk, privateJwk } = app.app.services.signingKeys.newPair();
    const person = { username: 'voter', password: PASSWORD, role: 'operator', scopes: ['governance:write'] };
    const { user_id } = (await app.post('/api/v1/users', { ...person, public_key: publicJwk })).body;
    const alone = (sign: PrivateJwk) => app.get(`${BASE}/tokens/balance`, { apiKey: null, sign });
    expect(slug(await alone(privateJwk)).slice(0, 2)).toEqual([401, 'unauthorized']);
    const login = await app.login({ username: 'voter', password: PASSWORD }, { sign: privateJwk });
    expect((await alone(privateJwk)).body.holder_id).toBe(user_id);
    const { holder_id } = await balanceOf(app.adminKey);
    const transfer = (amount: string) =>
      app.post(`${BASE}/tokens/transfer`, { address: holder_id, amount }, { apiKey: null, sign: privateJwk });
    expect((await transfer('1')).status).toBe(422);
    await move('transfer', { address: user_id, amount: '2' });
    expect((await transfer('1')).body).toMatchObject({ holder_id: user_id, balance: '1.00000000' });
    expect((await alone(app.pairOf(app.adminKey))).body.holder_id).toBe(holder_id);
    await app.post('/api/v1/auth/logout', { refresh_token: login.body.refresh_token }, { apiKey: null });
    expect(slug(await alone(privateJwk)).slice(0, 2)).toEqual([401, 'unauthorized']);
  });

  it('counts in the bucket of the credential that it is of, 100 a minute', async () => {
    const key = await app.key();
    const ask = (form: object) => app.get(`${BASE}/tokens/supply`, form);
    const alone = { apiKey: null, sign: app.pairOf(key) };
    const left = [await ask(by(key)), await ask(alone)].map(({ headers }) => headers['x-ratelimit-remaining']);
    expect(left).toEqual(['99', '98']);
    for (let more = 0; more < 98; more++) expect((await ask(by(key))).status).toBe(200);
    for (const form of [by(key), alone]) expect(slug(await ask(form)).slice(0, 2)).toEqual([429, 'rate_limited']);
  });

  it('votes and delegates ten times a minute besides, in either form', async () => {
    const key = await app.key();
    const { holder_id } = await balanceOf(app.adminKey);
    const body = { delegate_address: holder_id, amount: '1' };
    const forms = [by(key), { apiKey: null, sign: app.pairOf(key) }];
    const delegate = (n: number) => app.post(`${BASE}/tokens/delegate`, body, forms[n % 2]!);
    for (let n = 0; n < 10; n++) {
      const { status, headers } = await delegate(n);
      expect([status, headers['x-ratelimit-limit'], headers['x-ratelimit-remaining']]).toEqual([422, '10', `${9 - n}`]);
    }
    for (const n of [0, 1]) {
      const refused = await delegate(n);
      expect([...slug(refused).slice(0, 2), refused.body.error.message]).toEqual([
        ...[429, 'rate_limited', expect.stringMatching(/^the limit is 10 voting requests/)],
      ]);
    }
    expect((await app.get(`${BASE}/tokens/supply`, by(key))).headers['x-ratelimit-remaining']).toBe('87');
  });
});
