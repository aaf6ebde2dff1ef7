/** Accounts over HTTP: made and frozen by the platform's administrators, looked at by their own. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CallOptions, type Json, startTestApp, type TestApp } from '../../builders/app.ts';

const PATH = '/api/v1/accounts';
const wallet = { name: 'w', type: 'segwit', backup_type: 'none' };
let service: TestApp;

beforeAll(async () => {
  service = await startTestApp();
});
afterAll(() => service.close());

/** A tenant, as the answer gave it; `call` options of its first key. */
async function tenant(name: string, given: Json = {}): Promise<{ account: Json; options: CallOptions }> {
  const answer = await service.post(PATH, { name, ...given });
  expect(answer.status, answer.text).toBe(201);
  const { api_key: apiKey, private_key: privateKey } = answer.body;
  if (privateKey !== undefined) service.remember(apiKey, privateKey);
  return { account: answer.body, options: { apiKey } };
}

describe('making an account', () => {
  it('answers a first administrator key, with which the tenant can begin', async () => {
    const { account, options } = await tenant('Begins');
    expect(account).toMatchObject({ name: 'Begins', platform: false, tier: 'standard', frozen: false });
    expect((await service.post('/api/v1/wallets', wallet, options)).status).toBe(201);
    const made = await service.post('/api/v1/api-keys', { name: 'k', scopes: ['*'], role: 'admin' }, options);
    expect([made.status, made.body.account_id]).toEqual([201, account.account_id]);
    const first = await service.get(`/api/v1/api-keys/${account.api_key_id}`, options);
    expect(first.body).toMatchObject({ role: 'admin', scopes: ['*'], tier: 'standard' });
    expect((await service.get('/api/v1/wallets')).body.data).toEqual([]);
  });

  it('takes the public key of its owner', async () => {
    const publicKey = { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' };
    const { account } = await tenant('Own key', { public_key: publicKey });
    expect(account.key_id).toBe('kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k');
    expect(account.private_key).toBeUndefined();
  });

  it('gives it the tier that its keys may have', async () => {
    const { options } = await tenant('Large', { tier: 'enterprise' });
    const key = { name: 'k', scopes: ['*'], tier: 'enterprise', limits: { requests_per_minute: 9_000 } };
    expect((await service.post('/api/v1/api-keys', key, options)).status).toBe(201);
  });

  it('refuses a name that is taken, however many ask at once, and makes nothing', async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => service.post(PATH, { name: 'One' })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409]);
    expect((await service.get(`${PATH}?name=One`)).body.pagination.total).toBe(1);
  });

  it('answers a retry with the same secrets', async () => {
    const once = () => service.post(PATH, { name: 'Retried' }, { idempotencyKey: 'account-once' });
    const first = await once();
    const again = await once();
    expect([again.status, again.text]).toEqual([201, first.text]);
  });

  it.each<[string, Json, string]>([
    ['no name', { name: ' ' }, 'name'],
    ['another tier', { name: 'x', tier: 'gold' }, 'tier'],
    ['an unknown field', { name: 'x', platform: true }, 'platform'],
  ])('refuses %s', async (_, body, field) => {
    const answer = await service.post(PATH, body);
    expect([answer.status, answer.body.error.details.field]).toEqual([400, field]);
  });
});

describe('another account', () => {
  it('makes none, lists none, freezes none, whatever its role: 403', async () => {
    const { account, options } = await tenant('Tenant');
    const other = await tenant('Neighbour');
    const path = `${PATH}/${other.account.account_id}`;
    for (const answer of [
      await service.post(PATH, { name: 'x' }, options),
      await service.get(PATH, options),
      await service.post(`${path}/freeze`, undefined, options),
      await service.post(`${path}/unfreeze`, undefined, options),
      await service.post(`${PATH}/${account.account_id}/freeze`, undefined, options),
    ]) {
      expect([answer.status, answer.body.error.code]).toEqual([403, 'forbidden']);
    }
  });

  it('sees itself, and that no other is there', async () => {
    const { account, options } = await tenant('Looks');
    const own = await service.get(`${PATH}/${account.account_id}`, options);
    expect([own.status, own.body.name]).toEqual([200, 'Looks']);
    expect((await service.get(`${PATH}/${service.accountId}`, options)).status).toBe(404);
    expect((await service.get(`${PATH}/acc_0000000000000000000000`, options)).status).toBe(404);
    expect((await service.get(`${PATH}/${account.account_id}`)).status).toBe(200);
  });

  it('is not seen by those of the platform who are no administrators', async () => {
    const { account } = await tenant('Unseen');
    const apiKey = await service.key({ role: 'operator' });
    expect((await service.get(`${PATH}/${account.account_id}`, { apiKey })).status).toBe(404);
    expect((await service.get(`${PATH}/${service.accountId}`, { apiKey })).body.platform).toBe(true);
    expect((await service.get(PATH, { apiKey })).status).toBe(403);
  });
});

describe('freezing', () => {
  it('takes effect with the answer: reads go on, writes are 403; and ends with the next', async () => {
    const { account, options } = await tenant('Frozen');
    const path = `${PATH}/${account.account_id}`;
    expect((await service.post('/api/v1/wallets', wallet, options)).status).toBe(201);
    const frozen = await service.post(`${path}/freeze`, { reason: 'a court said so' });
    expect(frozen.status, frozen.text).toBe(200);
    expect(frozen.body).toMatchObject({ frozen: true, frozen_reason: 'a court said so' });
    const refused = await service.post('/api/v1/wallets', wallet, options);
    expect([refused.status, refused.body.error.message]).toEqual([403, expect.stringContaining('frozen')]);
    expect((await service.post('/api/v1/api-keys', { name: 'k', scopes: ['*'] }, options)).status).toBe(403);
    expect((await service.get('/api/v1/wallets', options)).body.data).toHaveLength(1);
    expect((await service.get(path, options)).body.frozen).toBe(true);
    expect((await service.get(`${PATH}?frozen=true`)).body.data.map((one: Json) => one.name)).toEqual(['Frozen']);

    const again = await service.post(`${path}/freeze`, { reason: 'another' });
    expect([again.status, again.body]).toEqual([200, frozen.body]);
    const thawed = await service.post(`${path}/unfreeze`);
    expect(thawed.body).toMatchObject({ frozen: false, frozen_at: null, frozen_reason: null });
    expect((await service.post('/api/v1/wallets', wallet, options)).status).toBe(201);
  });

  it('is not for the account that runs the service, nor for one that is not there', async () => {
    const own = await service.post(`${PATH}/${service.accountId}/freeze`);
    expect([own.status, own.body.error.details.code]).toEqual([409, 'state_conflict']);
    expect((await service.post('/api/v1/wallets', wallet)).status).toBe(201);
    expect((await service.post(`${PATH}/acc_0000000000000000000000/freeze`)).status).toBe(404);
  });
});
