/** What feerates the blocks of a real node took: an empty one, full ones, and one with room for all. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createBitcoindSource } from '../../src/chain/bitcoind/create-bitcoind-source.ts';
import { NONE_SUFFICED } from '../../src/core/mempool/needed-fee-rate.ts';
import { createFeePredictions } from '../../src/services/analytics/fee-predictions.ts';
import { BURN_ADDRESS, startTestNode, type TestNode } from '../builders/regtest-node.ts';
import { openTemporarySqlite, silent, type TemporarySqlite } from '../builders/stores.ts';

let node: TestNode;
let sqlite: TemporarySqlite;
const opened = new AsyncDisposableStack();

beforeAll(async () => {
  // 36 payments.
  node = await startTestNode({ extraArgs: ['-blockmaxweight=40000', '-blockmintxfee=0.00000100'] });
  opened.defer(() => node.stop());
  await node.mine(200);
  sqlite = await openTemporarySqlite();
  opened.defer(() => sqlite.close());
});
afterAll(() => opened.disposeAsync());

it('is that above which payments were taken', async () => {
  const { rpcUrl, cookieFile } = node;
  const chain = createBitcoindSource({ rpcUrl, cookieFile, network: 'regtest', log: silent });
  opened.defer(() => chain.close());
  const fees = createFeePredictions({ store: sqlite.store, chain, clock: Date.now, log: silent });
  opened.defer(() => fees.worker.stop());
  fees.worker.start();
  const pay = (feeRate: number) =>
    node.rpc('sendtoaddress', BURN_ADDRESS, 1, '', '', false, true, null, null, null, feeRate);
  // 8.1: a signature that is a byte shorter makes it no rate of another step, as it would 8.
  for (let at = 0; at < 90; at++) await pay(at % 3 === 0 ? 2 : at % 3 === 1 ? 8.1 : 30);
  const gathered = async () => (await chain.feeRateDistribution()).bands.reduce((sum, { vsize }) => sum + vsize, 0);
  await expect.poll(gathered).toBeGreaterThan(19_000);
  const { rounds } = fees.worker.counts();
  fees.worker.wake();
  await expect.poll(() => fees.worker.counts().rounds).toBeGreaterThan(rounds);
  const latest = async () => (await sqlite.store.read.feeObservations.latest(1))[0];
  const blocks = [];
  for (const height of [201, 202, 203, 204]) {
    if (height === 201) await node.rpc('generateblock', BURN_ADDRESS, []);
    else await node.mine(1);
    fees.worker.wake();
    await expect.poll(async () => (await latest())?.height, { timeout: 60_000 }).toBe(height);
    blocks.push((await latest())!);
  }
  const [nothing, first, second, last] = blocks.map(({ needed }) => needed);
  expect([nothing, last]).toEqual([NONE_SUFFICED, Number((await chain.mempoolInfo()).minFeeRate)]);
  // Of those that paid 8.1 sat/vB the first had room for a few, and of those that paid 2 the second.
  expect(Math.round(first! / 1_000)).toBe(30);
  expect([2, 8]).toContain(Math.round(second! / 1_000));
  const stats = async (height: number) =>
    (await node.rpc<{ feerate_percentiles: number[] }>('getblockstats', height)).feerate_percentiles;
  expect([await stats(202), await stats(203)]).toEqual([
    [8, 30, 30, 30, 30],
    [2, 2, 8, 8, 8],
  ]);
});
