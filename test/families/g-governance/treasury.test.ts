/** The treasury of a DAO: which wallet can be it, and what nobody can do with it any more. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Json, startTestApp, type TestApp } from '../../builders/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const TREASURY = '/v1/governance/dao/treasury';
const PAYEE = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';
const wallet = async (more: Json = {}, apiKey = app.adminKey): Promise<Json> => {
  const body = { name: 'w', type: 'segwit', backup_type: 'none', ...more };
  return (await app.post('/api/v1/wallets', body, { apiKey })).body;
};
const put = (wallet_id: string, apiKey = app.adminKey) => app.call('PUT', TREASURY, { wallet_id }, { apiKey });
const slug = ({ status, body }: { status: number; body: Json }) => [
  status,
  body.error?.details.code,
  body.error?.details.field,
];
async function funded(wallet_id: string): Promise<string> {
  const { address } = (await app.post(`/api/v1/wallets/${wallet_id}/addresses`)).body;
  await app.post('/api/v1/bitcoin/blocks', { count: 1, address });
  await app.post('/api/v1/bitcoin/blocks', { count: 100, address: PAYEE });
  await app.synced();
  return address;
}

it('cannot be a wallet that something else has a claim on', async () => {
  expect((await app.get(TREASURY)).body).toMatchObject({ wallet_id: null, balance: { confirmed: '0.00000000' } });
  const { apiKey } = await app.anotherAccount('treasury');
  expect(slug(await put((await wallet({}, apiKey)).wallet_id))).toEqual([404, 'not_found', 'wallet_id']);
  const { wallet_id: watched } = await wallet({ type: 'watch-only', descriptor: `addr(${PAYEE})` });
  expect(slug(await put(watched))).toEqual([422, 'signing_unavailable', 'wallet_id']);
  const archived = await wallet();
  await app.call('PATCH', `/api/v1/wallets/${archived.wallet_id}`, { archived: true });
  expect(slug(await put(archived.wallet_id))).toEqual([409, 'state_conflict', 'wallet_id']);
  const { mnemonic, wallet_id: first } = await wallet({ backup_type: 'mnemonic' });
  const copy = await wallet({ backup_type: 'mnemonic', mnemonic });
  expect(slug(await put(first)), copy.wallet_id).toEqual([409, 'state_conflict', 'wallet_id']);
});

it('cannot be one whose coins or keys wait for approval, or are in a contract', async () => {
  const [waiting, inContract] = [await wallet(), await wallet()];
  const asks = {
    when: { operations: ['message'] },
    then: { action: 'approve', required: 1, from: { roles: ['operator'] } },
  };
  await app.key({ role: 'operator', scopes: ['*'] });
  const rule = (await app.post('/api/v1/enterprise/policies', { name: 'asks', ...asks })).body;
  const { address } = (await app.post(`/api/v1/wallets/${waiting.wallet_id}/addresses`)).body;
  const held = await app.post(`/api/v1/wallets/${waiting.wallet_id}/messages`, { address, message: 'x' });
  expect(held.status, held.text).toBe(202);
  expect(slug(await put(waiting.wallet_id))).toEqual([409, 'state_conflict', 'wallet_id']);
  await app.call('DELETE', `/api/v1/enterprise/policies/${rule.policy_id}`);

  await funded(inContract.wallet_id);
  const terms = {
    type: 'dlc',
    oracle: 'local',
    outcomes: ['a', 'b'],
    collateral: '0.1',
    wallet_id: inContract.wallet_id,
  };
  const contract = await app.post('/api/v1/contracts', terms);
  expect(contract.status, contract.text).toBe(201);
  expect(slug(await put(inContract.wallet_id))).toEqual([409, 'state_conflict', 'wallet_id']);
});

it('is set once, and then spent, archived, locked, spoken for and copied by nobody', async () => {
  const { wallet_id, mnemonic } = await wallet({ backup_type: 'mnemonic' });
  const address = await funded(wallet_id);
  const lesser = await app.key({ role: 'admin', scopes: ['governance:write'] });
  expect(slug(await put(wallet_id, lesser)).slice(0, 2)).toEqual([403, 'forbidden']);
  const set = await put(wallet_id);
  expect([set.status, set.body], set.text).toMatchObject([200, { wallet_id, addresses: [address] }]);
  expect(set.body.balance.confirmed).not.toBe('0.00000000');
  expect((await app.get(TREASURY)).body).toEqual(set.body);
  expect(set.body.movements).toMatchObject([{ direction: 'incoming', status: 'confirmed' }]);
  expect(slug(await put((await wallet()).wallet_id))).toEqual([409, 'state_conflict', 'wallet_id']);

  const denied = { error: { details: { code: 'policy_denied' }, message: expect.stringContaining('is a treasury') } };
  const pay = { wallet_id, recipients: [{ address: PAYEE, amount: '0.1' }], fee_rate: '2', rbf: true };
  expect((await app.post('/api/v1/transactions', pay)).body).toMatchObject(denied);
  const dry = (await app.post('/api/v1/transactions?dry_run=true', pay)).body;
  expect(dry).toMatchObject({ status: 'preview', policy: { action: 'deny' } });
  const coin = (await app.get(`/api/v1/wallets/${wallet_id}/utxos`)).body.data[0];
  const outpoints = [{ txid: coin.txid, vout: coin.vout }];
  for (const [method, path, body] of [
    ['PATCH', `/api/v1/wallets/${wallet_id}`, { archived: true }],
    ['POST', `/api/v1/wallets/${wallet_id}/utxos/lock`, { outpoints }],
    ['POST', `/api/v1/wallets/${wallet_id}/utxos/freeze`, { outpoints }],
    ['POST', `/api/v1/wallets/${wallet_id}/backup`, {}],
    ['POST', '/api/v1/wallets', { name: 'copy', type: 'segwit', backup_type: 'none', mnemonic }],
  ] as const)
    expect((await app.call(method, path, body)).body, path).toMatchObject(denied);
  expect((await app.post(`/api/v1/wallets/${wallet_id}/utxos/unlock`, { outpoints })).status).toBe(200);
});
