/** What feerates blocks took: a row of each height, the last ones in order, and none too old or of a longer chain. */
import { expect, it } from 'vitest';
import type { BlockHash } from '../../../src/core/outpoint.ts';
import type { FeeObservationRecord } from '../../../src/store/repositories/fee-observations.ts';
import type { StoreContext } from '../store.ts';

export function feeObservationTests(context: StoreContext): void {
  const record = (height: number, needed: number | null = 1_000): FeeObservationRecord => ({
    ...{ height, needed, blockHash: `${height}`.padStart(64, '0') as BlockHash, seenAt: 5 },
    said: { 1: { mempool: 1, estimate: null, intervals: { 50: [1, 2], 80: [1, 3], 95: [1, 4] } } } as never,
  });
  const put = (...records: FeeObservationRecord[]) =>
    context.store.write(async (tx) => {
      for (const one of records) await tx.feeObservations.put(one);
    });

  it('are kept by height, and the later block of a height stands', async () => {
    const { feeObservations } = context.store.read;
    expect([await feeObservations.newest(), await feeObservations.latest(5)]).toEqual([null, []]);
    await put(record(9), record(11, null), record(10));
    expect(await feeObservations.latest(2)).toEqual([record(10), record(11, null)]);
    const other = { ...record(11), blockHash: 'f'.repeat(64) as BlockHash };
    await put(other);
    expect([await feeObservations.newest(), (await feeObservations.latest(1))[0]]).toEqual([other.blockHash, other]);
    await context.store.write((tx) => tx.feeObservations.deleteOutside(10, 10));
    expect(await feeObservations.latest(5)).toEqual([record(10)]);
  });
}
