import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Json, startTestApp, type TestApp } from '../../../builders/app.ts';
import { cosigner } from '../../../builders/cosigner.ts';
import { outsider } from '../../../services/transactions/payments-setup.ts';

const PATH = '/api/v1/transactions';
const [alice, bob] = [cosigner('alice'), cosigner('bob')];
let app: TestApp;
let wallet: Json;

beforeAll(async () => {
  app = await startTestApp();
  const made = await app.post('/api/v1/wallets', {
    ...{ name: 'Board', type: 'multisig', backup_type: 'none', required: 2 },
    cosigners: [alice.multisigKey, bob.multisigKey],
  });
  expect(made.status, made.text).toBe(201);
  wallet = made.body;
  for (let i = 0; i < 8; i++) {
    const { body } = await app.post(`/api/v1/wallets/${wallet.wallet_id}/addresses`);
    await app.post('/api/v1/bitcoin/blocks', { count: 1, address: body.address });
  }
  await app.simulated.mine(100, '51');
  await app.synced();
});

afterAll(() => app.close());

const body = (more: Json = {}): Json => ({
  recipients: [{ address: outsider('payee'), amount: '0.00100000' }],
  ...{ fee_rate: '2.5', rbf: true, wallet_id: wallet.wallet_id },
  ...more,
});
async function waiting(): Promise<Json> {
  const answer = await app.post(PATH, body());
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
}
const sign = (txid: string, psbt: unknown, more = {}) => app.post(`${PATH}/${txid}/signatures`, { psbt }, more);

describe('a payment that waits for signatures', () => {
  it('has its PSBT in the record, and null in lists, bulk answers and dry runs', async () => {
    const made = await waiting();
    expect(made).toMatchObject({ status: 'awaiting_signature', psbt: expect.stringMatching(/^cHNidP/) });
    expect((await app.get(`${PATH}/${made.txid}`)).body).toEqual(made);
    for (const list of [PATH, `/api/v1/wallets/${wallet.wallet_id}/transactions`]) {
      const { data } = (await app.get(`${list}?status=awaiting_signature`)).body;
      expect(data[0]).toEqual({ ...made, psbt: null });
    }
    const bulk = await app.post(`${PATH}/bulk`, { transactions: [body()] });
    expect(bulk.body.data[0].transaction).toMatchObject({ status: 'awaiting_signature', psbt: null });
    const dry = await app.post(`${PATH}?dry_run=true`, body());
    expect(dry.body).toMatchObject({ status: 'preview', psbt: null });
    const { balance } = (await app.get(`/api/v1/wallets/${wallet.wallet_id}`)).body;
    expect(Number(balance.locked)).toBeGreaterThan(0);
  });

  it('holds its coins, which the list shows as the balance counts them', async () => {
    await waiting();
    const { data } = (await app.get(`/api/v1/wallets/${wallet.wallet_id}/utxos?limit=100`)).body;
    const sats = (coins: Json[]) => coins.reduce((sum, coin) => sum + BigInt(coin.amount.replace('.', '')), 0n);
    const { balance } = (await app.get(`/api/v1/wallets/${wallet.wallet_id}`)).body;
    const mature = data.filter((coin: Json) => coin.status === 'confirmed');
    expect(sats(mature)).toBe(BigInt(balance.confirmed.replace('.', '')));
    const held = data.filter((coin: Json) => coin.held);
    expect(sats(held)).toBe(BigInt(balance.locked.replace('.', '')));
    expect(held.length).toBeGreaterThan(0);
  });

  it('gives its PSBT as version 2 or 0, while it waits', async () => {
    const { txid, psbt } = await waiting();
    expect((await app.get(`${PATH}/${txid}/psbt`)).body).toEqual({ psbt, version: 2 });
    const older = (await app.get(`${PATH}/${txid}/psbt?version=0`)).body;
    expect(older).toMatchObject({ version: 0 });
    expect(Buffer.from(older.psbt, 'base64').subarray(0, 7).toString('hex')).toBe('70736274ff0100');
    expect((await app.get(`${PATH}/${txid}/psbt?version=1`)).body.error.details.field).toBe('query.version');
    await sign(txid, alice.sign(psbt));
    const late = await app.get(`${PATH}/${txid}/psbt`);
    expect([late.status, late.body.error.details.code]).toEqual([409, 'state_conflict']);
    expect((await app.get(`${PATH}/${txid}`)).body).toMatchObject({ status: 'broadcast', psbt: null });
  });

  it('is signed once by a request and its retries', async () => {
    const { txid, psbt } = await waiting();
    const signed = alice.sign(psbt);
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => sign(txid, signed, { idempotencyKey: `sign-${txid}` })),
    );
    const done = answers.filter(({ status }) => status === 200);
    expect(done.length).toBeGreaterThan(0);
    expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true);
    const again = await sign(txid, signed, { idempotencyKey: `sign-${txid}` });
    expect(again.status).toBe(200);
    expect(again.body).toEqual((await app.get(`${PATH}/${txid}`)).body);
    expect(again.body.status).toBe('broadcast');
  });

  it('refuses what is no PSBT, of another payment, unsigned, or too large, and says so', async () => {
    const { txid, psbt } = await waiting();
    const other = await waiting();
    for (const [given, status, code] of [
      ['nonsense', 400, 'invalid_psbt'],
      ['', 400, 'invalid_value'],
      [psbt.slice(0, -8), 400, 'invalid_psbt'],
      [psbt, 422, 'nothing_signed'],
      [alice.sign(other.psbt), 422, 'psbt_mismatch'],
    ] as const) {
      const answer = await sign(txid, given);
      expect(answer.status, answer.text).toBe(status);
      expect(answer.body.error.details).toMatchObject({ field: 'psbt' });
      if (code !== 'invalid_value') expect(answer.body.error.details.code).toBe(code);
    }
    expect((await sign(txid, 'A'.repeat(10 * 1024 * 1024))).status).toBe(413);
    expect((await sign('00'.repeat(32), alice.sign(psbt))).status).toBe(404);
    expect((await sign(txid, Buffer.from(bob.sign(psbt), 'base64').toString('hex'))).status).toBe(200);
  });

  it("is another account's business alone, and a viewer's to read", async () => {
    const { txid, psbt } = await waiting();
    const viewer = await app.key({ role: 'viewer', scopes: ['transactions:read'] });
    expect((await app.get(`${PATH}/${txid}/psbt`, { apiKey: viewer })).status).toBe(200);
    expect((await sign(txid, alice.sign(psbt), { apiKey: viewer })).status).toBe(403);
    const { apiKey } = await app.anotherAccount();
    expect((await app.get(`${PATH}/${txid}/psbt`, { apiKey })).status).toBe(404);
    expect((await sign(txid, alice.sign(psbt), { apiKey })).status).toBe(404);
  });
});

describe('exports', () => {
  const exported = (format: string, id = wallet.wallet_id) => app.get(`/api/v1/wallets/${id}/exports/${format}`);

  it('are text for each format', async () => {
    for (const [format, start] of [
      ['descriptor', 'wsh(sortedmulti(2,['],
      ['bip388', '{\n  "name": "Board"'],
      ['bip129', 'BSMS 1.0\nwsh(sortedmulti(2,['],
      ['coldcard', '# Multisig setup file\nName: Board\nPolicy: 2 of 3\nFormat: P2WSH\n'],
      ['bitcoin-core', '[\n  {\n    "desc": "wsh('],
    ] as const) {
      const answer = await exported(format);
      expect(answer.status, answer.text).toBe(200);
      expect(answer.headers['content-type']).toMatch(/^text\/plain/);
      expect(answer.text.startsWith(start), answer.text).toBe(true);
      expect(answer.text).not.toMatch(/[xt]prv/);
    }
  });

  it('say where a format has no word for the wallet, and which formats there are', async () => {
    const single = await app.post('/api/v1/wallets', { name: 'Own', type: 'segwit', backup_type: 'none' });
    for (const format of ['bip129', 'coldcard']) {
      const answer = await exported(format, single.body.wallet_id);
      expect(answer.status).toBe(422);
      expect(answer.body.error.details).toMatchObject({ field: 'format', code: 'not_representable' });
    }
    expect((await exported('bip388', single.body.wallet_id)).text).toContain('"wpkh(@0/**)"');
    expect((await exported('trezor')).status).toBe(400);
    expect((await exported('bip388', 'wal_0000000000000000000000')).status).toBe(404);
  });
});
