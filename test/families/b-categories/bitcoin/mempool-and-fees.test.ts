import { Block } from 'bitcoinjs-lib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { FeeRate } from '../../../../src/core/fee-rate.ts';
import { type Json, startTestApp, type TestApp } from '../../../builders/app.ts';
import { type TestCoin, testKey } from '../../../builders/test-key.ts';

const MEMPOOL = '/api/v1/bitcoin/mempool';
const FEES = '/api/v1/bitcoin/fees';
const UNKNOWN = 'ab'.repeat(32);
const owner = testKey('mempool');
let app: TestApp;
/** Stands until it is moved. */
let now = Date.now();
let coins: TestCoin[];

const get = async (path: string): Promise<Json> => {
  const answer = await app.get(path);
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
};
/** Answers of the mempool are shared for a while. */
const later = async (path: string): Promise<Json> => {
  now += 60_000;
  return get(path);
};

beforeAll(async () => {
  app = await startTestApp({ clock: () => now, blocks: 3 });
  const mined = await app.simulated.mine(8, owner.scriptHex);
  await app.simulated.mine(100, '51');
  coins = await Promise.all(
    mined.map(async ({ hash }) => {
      const [coinbase] = Block.fromBuffer(Buffer.from((await app.simulated.block(hash))!.bytes)).transactions!;
      return { txid: coinbase!.getId(), vout: 0, amountSats: coinbase!.outs[0]!.value };
    }),
  );
});
afterAll(() => app.close());

it('sums the mempool and sorts it by feerate, parents with the children that pay for them', async () => {
  expect(await get(MEMPOOL)).toEqual({
    ...{ count: 0, vbytes: 0, total_fees: '0.00000000', fee_histogram: [] },
    ...{ min_fee_rate: '0.1', min_relay_fee_rate: '0.1', incremental_relay_fee_rate: '0.1' },
  });
  const parent = owner.spend({ coins: [coins.pop()!], feeSats: 110n });
  const child = owner.spend({ coins: [parent.coin(0)], feeSats: 110n * 19n });
  const alone = owner.spend({ coins: [coins.pop()!], feeSats: 110n * 60n });
  for (const { raw } of [parent, child, alone])
    expect(await app.simulated.broadcast(raw)).toEqual({ result: 'accepted' });
  // Asked within the second: the same answer for everybody.
  expect((await get(MEMPOOL)).count).toBe(0);
  const vsize = alone.transaction.virtualSize();
  expect(vsize).toBe(110);
  expect(await later(MEMPOOL)).toMatchObject({
    ...{ count: 3, vbytes: 330, total_fees: '0.00008800' },
    fee_histogram: [
      { fee_rate: '60', vbytes: 110 },
      { fee_rate: '10', vbytes: 220 },
    ],
  });
  const listed = await later(`${MEMPOOL}/transactions?limit=2`);
  expect(listed.data).toEqual([{ txid: parent.txid }, { txid: child.txid }]);
  expect(listed.pagination).toMatchObject({ total: 3, has_more: true });
  expect((await get(`${MEMPOOL}/transactions?offset=2`)).data).toEqual([{ txid: alone.txid }]);
  const entry = await get(`${MEMPOOL}/transactions/${child.txid}`);
  expect(entry).toMatchObject({
    ...{ txid: child.txid, vsize: 110, fee: '0.00002090', fee_rate: '19' },
    ancestors: { count: 2, vsize: 220, fees: '0.00002200', fee_rate: '10', txids: [parent.txid] },
    descendants: { count: 1, vsize: 110, fees: '0.00002090', fee_rate: '19', txids: [] },
  });
  expect(entry.first_seen).toMatch(/^\d{4}-.*Z$/);
  expect((await get(`${MEMPOOL}/transactions/${parent.txid}`)).descendants.txids).toEqual([child.txid]);
  await app.simulated.mine(1, '51');
  const gone = await app.get(`${MEMPOOL}/transactions/${child.txid}`);
  expect([gone.status, gone.body.error.details.field]).toEqual([404, 'txid']);
  expect((await app.get(`${MEMPOOL}/transactions/${UNKNOWN}`)).status).toBe(404);
  expect((await app.get(`${MEMPOOL}/transactions/xyz`)).body.error.details).toMatchObject({ field: 'txid' });
});

it('recommends the minimum while nothing waits, and says what it cannot know', async () => {
  const fees = await later(FEES);
  expect(fees.recommended).toEqual({ fastest: '0.1', half_hour: '0.1', hour: '0.1', economy: '0.1', minimum: '0.1' });
  expect(fees.estimates).toMatchObject({ '1': 'unavailable', '144': 'unavailable' });
  expect(fees).toMatchObject({ min_fee_rate: '0.1', min_relay_fee_rate: '0.1', incremental_relay_fee_rate: '0.1' });
});

it('is not below what the estimator says for those in a hurry, and never below the floor', async () => {
  app.simulated.setFeeEstimates(
    new Map([
      [2, 7_000n as FeeRate],
      [144, 50n as FeeRate],
    ]),
  );
  const fees = await later(FEES);
  expect(fees.recommended).toMatchObject({ fastest: '7', half_hour: '0.1', minimum: '0.1' });
  expect(fees.estimates).toMatchObject({ '2': '7', '144': '0.1' });
  app.simulated.setMempoolLimits({ minFeeRate: 3_000n as FeeRate });
  const full = await later(FEES);
  expect(full.recommended).toEqual({ fastest: '7', half_hour: '3', hour: '3', economy: '3', minimum: '3' });
});

it('is 503 while the chain source is away', async () => {
  app.simulated.setReachable(false);
  now += 60_000;
  for (const path of [MEMPOOL, `${MEMPOOL}/transactions`, `${MEMPOOL}/transactions/${UNKNOWN}`, FEES]) {
    const answer = await app.get(path);
    expect([answer.status, answer.body.error.details.code]).toEqual([503, 'node_unavailable']);
  }
  app.simulated.setReachable(true);
  await get(MEMPOOL);
});
