import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Txid } from '../../../src/core/outpoint.ts';
import type { Json } from '../../builders/app.ts';
import { startUsersApp, type UsersApp } from '../c-platform/users-app.ts';
import { clientToken, personToken } from './tokens.ts';

let app: UsersApp;
let token: string;
let wallet: string;
beforeAll(async () => {
  app = await startUsersApp();
  token = (await personToken(app)).token;
  wallet = (await app.post('/api/v1/wallets', { name: 'w', type: 'segwit', backup_type: 'none' })).body.wallet_id;
  const address = await ownAddress();
  await app.post('/api/v1/bitcoin/blocks', { count: 20, address });
  await app.post('/api/v1/bitcoin/blocks', { count: 100 });
  await app.synced();
});
afterAll(() => app.close());

const ELSEWHERE = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';
const by = (apiKey: string) => ({ apiKey });
const ownAddress = async (): Promise<string> => (await app.post(`/api/v1/wallets/${wallet}/addresses`)).body.address;
const make = (amount: string, recipient = ELSEWHERE, more: Json = {}) =>
  app.post('/api/v1/transaction', { amount, sender: 'Treasury', recipient, ...more }, by(token));
const noted = async (amount: string, recipient = ELSEWHERE) => (await make(amount, recipient)).body as Json;
const get = async (id: string) => (await app.get(`/api/v1/transaction/${id}`, by(token))).body as Json;
const put = (id: string, body: Json, who = token) => app.call('PUT', `/api/v1/transaction/${id}`, body, by(who));
const remove = (id: string, who = token) => app.call('DELETE', `/api/v1/transaction/${id}`, undefined, by(who));
const pay = async (...recipients: [address: string, amount: string][]): Promise<string> => {
  const body = { recipients: recipients.map(([address, amount]) => ({ address, amount })), fee_rate: '2', rbf: true };
  const paid = await app.post('/api/v1/transactions', { ...body, wallet_id: wallet });
  expect(paid.status, paid.text).toBe(201);
  return paid.body.txid;
};
const link = ({ txid, status }: Json) => [txid, status];

describe('a note of a payment', () => {
  it('is made, shown, replaced and deleted, and moves no coins', async () => {
    const before = (await app.get('/api/v1/transactions?limit=1')).body.pagination.total;
    const made = await make('0.12345678', 'Rent, November');
    expect([made.status, made.body]).toMatchObject([
      201,
      { amount: '0.12345678', sender: 'Treasury', recipient: 'Rent, November', txid: null, status: 'unlinked' },
    ]);
    const id = made.body.transaction_id;
    expect(await get(id)).toEqual(made.body);
    const whole = { amount: '20999999.97690000', sender: 'A', recipient: 'B' };
    expect((await put(id, whole)).body).toMatchObject({ ...whole, block_height: null });
    const page = (await app.get('/api/v1/transaction?limit=1&recipient=B', by(token))).body;
    expect([page.data[0].transaction_id, page.pagination.total]).toEqual([id, 1]);
    expect([(await remove(id)).status, (await remove(id)).status]).toEqual([204, 404]);
    expect((await app.get('/api/v1/transactions?limit=1')).body.pagination.total).toBe(before);
  });

  it('takes amounts exactly, as decimal text alone', async () => {
    for (const amount of [0.1, '0.123456789', '1e-3', '-1', '0', '21000001'] as string[]) {
      const { status, body } = await make(amount);
      expect([status, body.error.details.field], amount).toEqual([400, 'amount']);
    }
  });

  it('is refused by an API key (401), without the scope (403), and without a signature (401)', async () => {
    const body = { amount: '1', sender: 'a', recipient: 'b' };
    expect((await app.post('/api/v1/transaction', body)).status).toBe(401);
    const reader = (await personToken(app, { scopes: ['transactions:read'] })).token;
    expect((await app.post('/api/v1/transaction', body, by(reader))).status).toBe(403);
    expect((await app.get('/api/v1/transaction', by(reader))).status).toBe(200);
    expect((await app.post('/api/v1/transaction', body, { apiKey: token, sign: false })).status).toBe(401);
    expect((await app.post('/api/v1/transaction', body, by(await clientToken(app)))).status).toBe(201);
    const refused = await app.call('PUT', '/api/v1/transaction', body, by(token));
    expect([refused.status, refused.headers.allow, typeof refused.body.message]).toEqual([
      405,
      'GET, HEAD, POST',
      'string',
    ]);
  });
});

describe('the link to a transaction', () => {
  it('is found whichever is first, and the status follows', async () => {
    const first = await noted('0.011', ELSEWHERE.toUpperCase());
    const txid = await pay([ELSEWHERE, '0.011']);
    expect(link(await get(first.transaction_id))).toEqual([txid, 'broadcast']);
    const other = await pay([ELSEWHERE, '0.012']);
    expect(link(await noted('0.012'))).toEqual([other, 'broadcast']);
    const own = await ownAddress();
    const deposit = await pay([own, '0.013']);
    const second = await noted('0.013', own);
    await app.post('/api/v1/bitcoin/blocks', { count: 1 });
    await app.synced();
    const confirmed = await get(second.transaction_id);
    expect([...link(confirmed), confirmed.block_height]).toEqual([deposit, 'confirmed', 121]);
    const listed = (await app.get(`/api/v1/transaction?txid=${txid}`, by(token))).body.data as Json[];
    expect(listed.map(link)).toEqual([[txid, 'confirmed']]);
  });

  it('needs amount and recipient to match, and is none of a preview', async () => {
    const one = await noted('0.02100001');
    await pay([ELSEWHERE, '0.021'], [await ownAddress(), '0.02100001']);
    const body = { recipients: [{ address: ELSEWHERE, amount: '0.02100001' }], fee_rate: '2', rbf: true };
    expect((await app.post('/api/v1/transactions?dry_run=true', { ...body, wallet_id: wallet })).status).toBe(200);
    expect((await get(one.transaction_id)).txid).toBeNull();
  });

  it('is of one note for each output; where it could be either, it is none until somebody says which', async () => {
    const [a, b] = [await noted('0.031'), await noted('0.031')];
    const txid = await pay([ELSEWHERE, '0.031']);
    expect([(await get(a.transaction_id)).txid, (await get(b.transaction_id)).txid]).toEqual([null, null]);
    const said = { amount: '0.031', sender: 'Treasury', recipient: ELSEWHERE, txid };
    expect(link((await put(a.transaction_id, said)).body)).toEqual([txid, 'broadcast']);
    const taken = await put(b.transaction_id, said);
    expect([taken.status, taken.body.error.details.field]).toEqual([409, 'txid']);
    // The next one can only be the other's.
    const next = await pay([ELSEWHERE, '0.031']);
    expect([(await get(a.transaction_id)).txid, (await get(b.transaction_id)).txid]).toEqual([txid, next]);
    // What a note leaves is the only free one.
    const late = await noted('0.031');
    expect(late.txid).toBeNull();
    await remove(a.transaction_id);
    expect((await get(late.transaction_id)).txid).toBe(txid);
  });

  it('counts the outputs of one transaction', async () => {
    const [x, y] = [await ownAddress(), await ownAddress()];
    const txid = await pay([x, '0.041'], [y, '0.041'], [x, '0.041']);
    const made = await Promise.all([x, x, y].map((address) => make('0.041', address, { txid })));
    expect(made.map(({ status, body }) => [status, body.txid])).toEqual([201, 201, 201].map((s) => [s, txid]));
    expect((await make('0.041', x, { txid })).status).toBe(409);
    expect((await make('0.042', x, { txid })).status).toBe(409);
    expect((await make('0.041', x, { txid: 'ab'.repeat(32) })).status).toBe(404);
  });

  it('goes with the payment to what replaces it', async () => {
    const txid = await pay([ELSEWHERE, '0.051']);
    const { transaction_id: id } = await noted('0.051');
    const bumped = (await app.post(`/api/v1/transactions/${txid}/bump`, { fee_rate: '20' })).body;
    expect(link(await get(id))).toEqual([bumped.txid, 'broadcast']);
    expect((await noted('0.051')).txid).toBeNull();
    const cancelled = await pay([ELSEWHERE, '0.052']);
    const { transaction_id: other } = await noted('0.052');
    await app.post(`/api/v1/transactions/${cancelled}/cancel`, { fee_rate: '20' });
    expect(link(await get(other))).toEqual([cancelled, 'replaced']);
  });

  it('goes back to what was bumped where a block holds that', async () => {
    await app.post('/api/v1/bitcoin/blocks', { count: 1 });
    await app.synced();
    const txid = await pay([ELSEWHERE, '0.053']);
    const { transaction_id: id } = await noted('0.053');
    const { raw } = (await app.app.store.read.transactions.find(app.accountId, txid as Txid)) ?? expect.fail();
    const bumped = (await app.post(`/api/v1/transactions/${txid}/bump`, { fee_rate: '20' })).body;
    expect(link(await get(id))).toEqual([bumped.txid, 'broadcast']);
    await app.simulated.mineTransactions([raw as Uint8Array]);
    await app.synced();
    expect(link(await get(id))).toEqual([txid, 'confirmed']);
    expect((await noted('0.053')).txid).toBeNull();
  });

  it('is found once where notes and payments come at the same time', async () => {
    const own = await ownAddress();
    const [txid, ...notes] = await Promise.all([pay([own, '0.061']), noted('0.061', own)]);
    expect((await get(notes[0].transaction_id)).txid).toBe(txid);
  });

  it("is to nothing of another account, whose notes aren't there", async () => {
    const { apiKey } = await app.anotherAccount('elsewhere');
    const stranger = (await personToken(app, {}, by(apiKey))).token;
    const txid = await pay([ELSEWHERE, '0.071']);
    const mine = { amount: '0.071', sender: 'a', recipient: ELSEWHERE };
    const theirs = await app.post('/api/v1/transaction', mine, by(stranger));
    expect([theirs.status, theirs.body.txid]).toEqual([201, null]);
    expect((await app.post('/api/v1/transaction', { ...mine, txid }, by(stranger))).status).toBe(404);
    const { transaction_id: id } = await noted('0.071');
    const answers = [await app.get(`/api/v1/transaction/${id}`, by(stranger)), await put(id, mine, stranger)];
    expect([...answers, await remove(id, stranger)].map(({ status }) => status)).toEqual([404, 404, 404]);
    expect((await get(id)).txid).toBe(txid);
  });
});
