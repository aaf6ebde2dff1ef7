import { expect, it } from 'vitest';
import type { ChainSource } from '../../../src/chain/chain-source.ts';
import { createChainWitness } from '../../../src/services/compliance/chain-witness.ts';
import type { Store } from '../../../src/store/store.ts';
import { blockHashOf } from '../../builders/store-records.ts';
import { silent } from '../../builders/stores.ts';

it.each([
  [100, 'same', 0, 'pass', 98],
  [107, 'same', 0, 'warn', 98],
  [90, 'same', 0, 'warn', 88],
  [100, 'other', 0, 'fail', 98],
  [100, null, 0, 'unknown', 98],
  [100, 'same', 900_001, 'unknown', 98],
] as const)('a source at height %i with %s block, asked %i ms ago: %4$s', async (height, block, age, status, compared) => {
  const witness = {
    info: async () => ({ height }),
    blockHashAt: async (at: number) => block && blockHashOf(block === 'same' ? at : 'fork'),
  } as unknown as ChainSource;
  const ledger = { tip: async () => ({ height: 100 }), blockAt: async (at: number) => ({ hash: blockHashOf(at) }) };
  const store = { read: { ledger } } as unknown as Store;
  const { worker, look, agrees } = createChainWitness({ witness, store, log: silent, clock: () => 0 });
  expect(look(0)).toMatchObject({ status: 'unknown', evidence: { compared_at: null } });
  worker.start();
  await expect.poll(() => worker.counts().rounds).toBe(1);
  await worker.stop();
  const evidence = { compared_at: 0, compared_height: compared, height: 100, witness_height: height };
  expect(look(age)).toEqual({ status, evidence });
  expect(agrees(age)).toBe({ pass: true, warn: true, fail: false, unknown: null }[status]);
});
