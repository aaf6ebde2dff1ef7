/** What reports are made of. */
import { expect, it } from 'vitest';
import type { ChainPlace } from '../../../src/store/repositories/report-sources.ts';
import { blockRecord, transactionRecord, walletRecord } from '../../builders/store-records.ts';
import type { StoreContext } from '../store.ts';

/** Heights in the order in which the account recorded them; null: in no block. */
const HEIGHTS = [7, 3, 7, null, 900, 3, 7, 7, 0];

export function reportSourceTests(context: StoreContext): void {
  it('movements in blocks come in the order of the chain, page by page, of the account alone', async () => {
    const { store } = context;
    await store.write(async (tx) => {
      await tx.wallets.insert(walletRecord('wal_three'));
      await tx.wallets.insert(walletRecord('wal_four', { accountId: 'acc_two' }));
      await tx.ledger.insertBlocks([{ ...blockRecord(3), time: 1_700_000_000 }]);
      for (const accountId of ['acc_one', 'acc_two'] as const)
        for (const [n, blockHeight] of HEIGHTS.entries()) {
          const wallets =
            accountId === 'acc_two'
              ? ['wal_four' as const]
              : n === 2
                ? ['wal_three' as const, 'wal_one' as const]
                : ['wal_one' as const];
          await tx.transactions.insert(
            transactionRecord(`${accountId} ${n}`, {
              ...{ accountId, blockHeight, walletId: wallets[0] as 'wal_one', createdAt: n },
              ...(blockHeight === 3 && { blockHash: blockRecord(3).hash }),
            }),
            [],
            wallets.map((walletId) => ({ walletId, receivedSats: 1n, sentSats: 0n })),
          );
        }
    });
    const { reportSources } = store.read;
    expect(await reportSources.heights()).toEqual({ lowest: 0, highest: 900 });
    const found: [number | null, number, string, number][] = [];
    for (let place: ChainPlace | null = { height: 0, ordinal: 0, wallet: '' }; place !== null; ) {
      const page = await reportSources.mined('acc_one', place, { upTo: 899, limit: 2 });
      for (const one of page) found.push([one.blockHeight, one.ordinal, one.walletId, one.at]);
      const last = page.at(1);
      place = last ? { height: last.blockHeight as number, ordinal: last.ordinal, wallet: last.walletId } : null;
    }
    expect(found).toEqual([
      ...[
        [0, 9, 'wal_one', 8],
        [3, 2, 'wal_one', 1_700_000_000_000],
        [3, 6, 'wal_one', 1_700_000_000_000],
      ],
      ...[
        [7, 1, 'wal_one', 0],
        [7, 3, 'wal_one', 2],
        [7, 3, 'wal_three', 2],
        [7, 7, 'wal_one', 6],
        [7, 8, 'wal_one', 7],
      ],
    ]);
    expect(
      await reportSources.mined('acc_one', { height: 900, ordinal: 5, wallet: '' }, { upTo: 900, limit: 9 }),
    ).toHaveLength(1);
  });
}
