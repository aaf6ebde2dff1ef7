/** Dry runs of what replaces or helps a payment, or makes many; and fee rates of theirs that the node estimates. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../builders/app.ts';
import { type DatabaseState, databaseState } from '../../../builders/database-state.ts';
import { outsider } from '../../../services/transactions/payments-setup.ts';

const PATH = '/api/v1/transactions';
let app: TestApp;
let state: DatabaseState;

const payment = (more: Record<string, unknown> = {}) => ({
  recipients: [{ address: outsider('payee'), amount: '0.00100000' }],
  fee_rate: '5',
  rbf: true,
  ...more,
});
/** How many rows each table has. What the follower sees of a payment may lengthen a wallet's scripts meanwhile. */
const kept = () => ({ ...state.counts(), scripts: null });
const paid = async () => (await app.post(PATH, payment())).body.txid;

beforeAll(async () => {
  app = await startTestApp();
  const { wallet_id } = (await app.post('/api/v1/wallets', { name: 'w', type: 'segwit', backup_type: 'none' })).body;
  for (let coin = 0; coin < 3; coin++) {
    const { address } = (await app.post(`/api/v1/wallets/${wallet_id}/addresses`)).body;
    await app.post('/api/v1/bitcoin/blocks', { count: 1, address });
  }
  await app.simulated.mine(100, '51');
  await app.synced();
  state = databaseState(app.dataDir);
});
afterAll(async () => {
  state.close();
  await app.close();
});

const REQUESTS: [string, Record<string, unknown>][] = [
  ['bump', { fee_rate: '20' }],
  ['cpfp', { fee_rate: '20' }],
  ['cancel', {}],
];

describe('a dry run', () => {
  it.each(
    REQUESTS,
  )('of %s answers what it would be and keeps nothing; the same key then does it', async (noun, body) => {
    const txid = await paid();
    const before = kept();
    const records = state.recorded(`transaction.${noun}`, 'done');
    const options = { idempotencyKey: `dry-${noun}` };
    const dry = await app.post(`${PATH}/${txid}/${noun}?dry_run=true`, body, options);
    expect(dry.status, dry.text).toBe(200);
    expect(dry.body).toMatchObject({ status: 'preview', dry_run: true, replaces: noun === 'cpfp' ? null : txid });
    expect(kept()).toEqual(before);
    expect(state.recorded(`transaction.${noun}`, 'done')).toBe(records);
    const real = await app.post(`${PATH}/${txid}/${noun}`, body, options);
    expect([real.status, real.body.status], real.text).toEqual([201, 'broadcast']);
    expect(real.body.dry_run).toBeUndefined();
    expect([real.body.fee, real.body.vsize]).toEqual([dry.body.fee, expect.closeTo(dry.body.vsize, -1)]);
  });

  it('needs no signature', async () => {
    const apiKey = await app.key({ scopes: ['transactions:write'] });
    const answer = await app.post(
      `${PATH}/${await paid()}/bump?dry_run=true`,
      { fee_rate: '20' },
      { apiKey, sign: false },
    );
    expect(answer.status, answer.text).toBe(200);
  });

  it('of a bulk answers what each would be and keeps nothing; the same key then does it', async () => {
    const before = kept();
    const transactions = [
      ...Array.from({ length: 5 }, () => payment()),
      payment({ recipients: [{ address: outsider('payee'), amount: '5000' }] }),
    ];
    const dry = await app.post(`${PATH}/bulk?dry_run=true`, { transactions }, { idempotencyKey: 'dry-bulk' });
    expect(
      dry.body.data.map((one: { status: number }) => one.status),
      dry.text,
    ).toEqual([200, 200, 200, 200, 200, 422]);
    expect(dry.body.data[0].transaction).toMatchObject({ status: 'preview', dry_run: true });
    expect(kept()).toEqual(before);
    const real = await app.post(`${PATH}/bulk`, { transactions }, { idempotencyKey: 'dry-bulk' });
    expect(
      real.body.data.map((one: { status: number }) => one.status),
      real.text,
    ).toEqual([...[201, 201, 201, 201, 201, 422]]);
  });

  it('of a bulk finds too little where its payments together want more than there is', async () => {
    const rich = payment({ recipients: [{ address: outsider('payee'), amount: '80.00000000' }] });
    const dry = await app.post(`${PATH}/bulk?dry_run=true`, { transactions: [rich, rich] });
    expect(
      dry.body.data.map((one: { status: number }) => one.status),
      dry.text,
    ).toEqual([200, 422]);
  });
});

describe('a fee rate', () => {
  it('of "auto" replaces by the least that is taken, where it comes to less', async () => {
    await app.simulated.mine(1, '51');
    await app.synced();
    const txid = await paid();
    const number = await app.post(`${PATH}/${txid}/bump`, { fee_rate: '5.01' });
    expect([number.status, number.body.error.details.code]).toEqual([422, 'fee_too_low']);
    const would = Number(/([\d.]+) sat\/vB, would do/.exec(number.body.error.message)![1]);
    const bumped = await app.post(`${PATH}/${txid}/bump`, { fee_rate: 'auto' });
    expect([bumped.status, bumped.body.status], bumped.text).toEqual([201, 'broadcast']);
    expect(Math.abs(Number(bumped.body.fee_rate) - would)).toBeLessThan(0.05);
    const cancelled = await app.post(`${PATH}/${bumped.body.txid}/cancel`, { fee_rate: 'auto' });
    expect([cancelled.status, cancelled.body.status], cancelled.text).toEqual([201, 'broadcast']);
  });

  it('that the node has no estimate for is refused, with what to give instead; in a bulk for itself alone', async () => {
    const target = payment({ fee_rate: '6 blocks' });
    const alone = await app.post(PATH, target);
    expect(alone.status, alone.text).toBe(422);
    expect(alone.body.error.details).toMatchObject({ code: 'no_fee_estimate', field: 'fee_rate' });
    expect(alone.body.error.message).toMatch(/a number in sat\/vB, or "auto", which comes to 0\.1 sat\/vB now$/);
    const { data } = (await app.post(`${PATH}/bulk`, { transactions: [target, payment()] })).body;
    expect(data.map((one: { status: number }) => one.status)).toEqual([422, 201]);
    expect(data[0].error.details).toMatchObject({ code: 'no_fee_estimate', field: 'transactions[0].fee_rate' });
  });

  it('is asked for later while the node is away', async () => {
    app.simulated.setReachable(false);
    try {
      const answer = await app.post(PATH, payment({ fee_rate: '6 blocks' }));
      expect([answer.status, answer.body.error.details.code]).toEqual([503, 'node_unavailable']);
    } finally {
      app.simulated.setReachable(true);
    }
  });
});
