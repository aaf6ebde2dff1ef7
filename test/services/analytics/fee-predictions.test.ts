/** What blocks take is written as they come, and predicted of the next ones. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { FeeRate } from '../../../src/core/fee-rate.ts';
import type { BlockHash } from '../../../src/core/outpoint.ts';
import { createFeePredictions } from '../../../src/services/analytics/fee-predictions.ts';
import { openTemporarySqlite, silent, type TemporarySqlite } from '../../builders/stores.ts';

const MvB = 1_000_000;
let sqlite: TemporarySqlite;
let fees: ReturnType<typeof createFeePredictions>;
let now = 1_000_000;
let tip = { height: 99, hash: `${99}0`.padStart(64, '0') };
let bands: [rate: number, vsize: number][] = [];
let complete = false;
/** By the source, until it gathers anew. */
let told: { feeRate: FeeRate; vsize: number }[] | null = null;
const hashOf = (height: number, branch = 0) => `${height}${branch}`.padStart(64, '0') as BlockHash;
const rate = (satPerKvb: number) => BigInt(satPerKvb) as FeeRate;

beforeAll(async () => {
  sqlite = await openTemporarySqlite();
  const chain = {
    info: async () => ({ height: tip.height, bestBlockHash: tip.hash, syncing: false }),
    bestBlockHash: async () => tip.hash,
    feeRateDistribution: async () => {
      told ??= bands.map(([one, vsize]) => ({ feeRate: rate(one), vsize }));
      return { bands: told, complete };
    },
    mempoolInfo: async () => ({ minFeeRate: rate(100), minRelayFeeRate: rate(100) }),
    estimateFees: async () => new Map([[1, rate(50)]]),
  };
  fees = createFeePredictions({ store: sqlite.store, chain: chain as never, clock: () => now, log: silent });
  fees.worker.start();
});
afterAll(async () => {
  await fees.worker.stop();
  await sqlite.close();
});

const read = () => sqlite.store.read.feeObservations.latest(1_000);
/** A round that begins after this. */
async function looked(): Promise<void> {
  const { rounds } = fees.worker.counts();
  fees.worker.wake();
  await expect.poll(() => fees.worker.counts().rounds, { interval: 1 }).toBeGreaterThan(rounds);
}
async function block(height: number, after: typeof bands, branch = 0): Promise<void> {
  now += 20_000;
  tip = { height, hash: hashOf(height, branch) };
  // The source still tells of the mempool before it, and then of the one after it.
  await looked();
  await looked();
  bands = after;
  told = null;
  await looked();
}

it('writes what each block took, or that it was not seen, and predicts by that', async () => {
  await expect.poll(() => fees.worker.counts().rounds, { interval: 1 }).toBe(1);
  complete = true;
  const full: typeof bands = [
    [5_000, 0.6 * MvB],
    [3_000, 0.4 * MvB],
    [1_000, MvB],
  ];
  await block(100, full);
  now += 1_000;
  await expect(fees.predict(1)).rejects.toMatchObject({
    code: 'not_enough_data',
    message: expect.stringContaining('has been seen 0 times; this takes at least 40'),
  });
  await block(101, [[1_000, MvB]]);
  expect((await read()).map(({ height, needed }) => [height, needed])).toEqual([
    [100, null],
    [101, 3_000],
  ]);
  expect((await read())[1]!.said[1]).toEqual({ mempool: 1_000, estimate: 100, intervals: null });
  // A mempool that is not known whole says nothing, nor one of long ago, nor before many blocks.
  complete = false;
  await block(102, full);
  complete = true;
  now += 200_000;
  await block(103, [[1_000, MvB]]);
  await block(107, []);
  // Of two blocks together it is the later one's; a block of another branch takes the place of the first.
  await block(107, full, 1);
  await block(109, [[1_000, MvB]]);
  const seen = (await read()).slice(2).map(({ height, needed }) => [height, needed]);
  expect(seen).toEqual([
    [103, null],
    [107, null],
    [109, 3_000],
  ]);
  expect((await read())[3]!.blockHash).toBe(hashOf(107, 1));
  for (let height = 110; height < 155; height++) {
    await block(height, full);
    now += 1_000;
    [bands, told] = [full, null];
    await looked();
    await block(++height, [[1_000, MvB]]);
  }
  const known = (await read()).slice(-4).map(({ needed }) => needed);
  expect(known).toEqual([10_000_000, 3_000, 10_000_000, 3_000]);
  now += 60_000;
  const { data } = await fees.predict();
  expect(data.map(({ target }) => target)).toEqual([1, 2, 3, 6]);
  expect(data[1]).toMatchObject({ point: 3_000n, intervals: [{ low: 3_000n, high: 3_000n }, {}, {}] });
  expect((await fees.predict(2)).data).toEqual([data[1]]);
  await expect(fees.predict(144)).rejects.toMatchObject({
    code: 'not_enough_data',
    details: { field: 'query.target' },
  });
  // A chain that is shorter again.
  await block(120, full, 2);
  expect((await read()).at(-1)).toMatchObject({ height: 120, blockHash: hashOf(120, 2), needed: null });
});
