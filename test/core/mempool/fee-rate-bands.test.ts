import { describe, expect, it } from 'vitest';
import { feeRateBands, type WaitingTransaction } from '../../../src/core/mempool/fee-rate-bands.ts';
import type { Txid } from '../../../src/core/outpoint.ts';

const id = (name: string | number) => `${name}`.padStart(64, '0') as Txid;

function waiting(of: Record<string, [feeSats: bigint, vsize: number, ...parents: (string | number)[]]>) {
  return new Map<Txid, WaitingTransaction>(
    Object.entries(of).map(([name, [feeSats, vsize, ...parents]]) => [
      id(name),
      { feeSats, vsize, parents: parents.map(id) },
    ]),
  );
}
const bands = (of: Parameters<typeof waiting>[0]) =>
  feeRateBands(waiting(of)).map(({ feeRate, vsize }) => [Number(feeRate), vsize]);

describe('feeRateBands', () => {
  it('sums what pays the same, by descending feerate', () => {
    expect(bands({})).toEqual([]);
    expect(bands({ a: [200n, 100], b: [1_000n, 100], c: [400n, 200] })).toEqual([
      [10_000, 100],
      [2_000, 300],
    ]);
  });

  it('takes a parent at the feerate at which its child pays for both', () => {
    expect(bands({ a: [100n, 100], b: [900n, 100, 'a'] })).toEqual([[5_000, 200]]);
  });

  it('does not let a poor child draw its parent down', () => {
    expect(bands({ a: [900n, 100], b: [100n, 100, 'a'] })).toEqual([
      [9_000, 100],
      [1_000, 100],
    ]);
  });

  it('lets two children pay for one parent, the better one first', () => {
    // The parent goes with the better child at 5; the other stands alone at its own 4 then.
    expect(bands({ a: [0n, 100], b: [1_000n, 100, 'a'], c: [400n, 100, 'a'] })).toEqual([
      [5_000, 200],
      [4_000, 100],
    ]);
  });

  it('ignores parents that are confirmed, and parents named twice', () => {
    expect(bands({ a: [500n, 100, 'gone'], b: [100n, 100, 'a', 'a'] })).toEqual([
      [5_000, 100],
      [1_000, 100],
    ]);
  });

  it('approximates clusters that are too large to be sorted exactly, without losing a byte', () => {
    const chain: Record<string, [bigint, number, ...number[]]> = {};
    for (let at = 0; at < 5_000; at++) chain[at] = [BigInt(100 + at), 100, ...(at === 0 ? [] : [at - 1])];
    const found = bands(chain);
    expect(found.reduce((sum, [, vsize]) => sum + vsize!, 0)).toBe(500_000);
    expect(found[0]![0]).toBeGreaterThan(50_000);
    expect(found.at(-1)![0]).toBeGreaterThanOrEqual(1_000);
  });
});
