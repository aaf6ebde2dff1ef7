import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chunksByFeeRate, selectForBlock } from '../../../src/chain/simulated/block-template.ts';
import { createMempool, type PooledTransaction } from '../../../src/chain/simulated/mempool.ts';
import type { Txid } from '../../../src/core/outpoint.ts';

/** Transactions with fee, size, and earlier ones that they spend from. */
const family = fc.array(
  fc.record({
    feeSats: fc.bigInt({ min: 0n, max: 10_000n }),
    vsize: fc.integer({ min: 100, max: 1_000 }),
    parents: fc.array(fc.nat(), { maxLength: 3 }),
  }),
  { minLength: 1, maxLength: 25 },
);

function pool(members: { feeSats: bigint; vsize: number; parents: number[] }[]) {
  const mempool = createMempool();
  const entries: PooledTransaction[] = [];
  for (const [i, { feeSats, vsize, parents }] of members.entries()) {
    const from = i === 0 ? [] : parents.map((parent) => entries[parent % i]!);
    const tx = {
      txid: i.toString(16).padStart(64, '0') as Txid,
      inputs: [],
      outputs: [],
      vsize,
      weight: vsize * 4,
    };
    const entry = {
      tx: tx as never,
      feeSats,
      addedAt: 0,
      parents: new Set(from),
      children: new Set<PooledTransaction>(),
    };
    mempool.add(entry);
    entries.push(entry);
  }
  return { mempool, entries };
}

const RESERVED = 8_000;

describe('the block template', () => {
  it('takes everything where there is room, parents first, at feerates that never rise', () => {
    fc.assert(
      fc.property(family, (members) => {
        const { mempool, entries } = pool(members);
        const chosen = selectForBlock(mempool, 4_000_000);
        expect(new Set(chosen)).toEqual(new Set(entries));
        expect(chosen.length).toBe(entries.length);
        const seen = new Set<PooledTransaction>();
        for (const entry of chosen) {
          for (const parent of entry.parents) expect(seen.has(parent)).toBe(true);
          seen.add(entry);
        }
        const chunks = chunksByFeeRate(mempool);
        for (const [i, chunk] of chunks.entries()) {
          const before = chunks[i - 1];
          if (before)
            expect(before.feeSats * BigInt(chunk.vsize)).toBeGreaterThanOrEqual(chunk.feeSats * BigInt(before.vsize));
        }
      }),
      { numRuns: 300 },
    );
  });

  it('never exceeds the weight it is given, nor takes a child without its parents', () => {
    fc.assert(
      fc.property(family, fc.integer({ min: 0, max: 60_000 }), (members, room) => {
        const { mempool } = pool(members);
        const chosen = selectForBlock(mempool, RESERVED + room);
        expect(chosen.reduce((sum, { tx }) => sum + tx.weight, 0)).toBeLessThanOrEqual(room);
        const seen = new Set<PooledTransaction>();
        for (const entry of chosen) {
          for (const parent of entry.parents) expect(seen.has(parent)).toBe(true);
          seen.add(entry);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('with room for one of two, takes the parent whose child pays for it', () => {
    const { mempool, entries } = pool([
      { feeSats: 2_000n, vsize: 200, parents: [] },
      { feeSats: 0n, vsize: 100, parents: [] },
      { feeSats: 9_000n, vsize: 100, parents: [1] },
    ]);
    expect(selectForBlock(mempool, RESERVED + 800)).toEqual([entries[1], entries[2]]);
  });
});
