import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { createSumChecks } from '../../../src/services/ledger/check-sums.ts';
import { accountRecord, coinRecord, walletRecord } from '../../builders/store-records.ts';
import { openTemporarySqlite } from '../../builders/stores.ts';

it('what is kept of a wallet and not so is said, counted and corrected; the other wallets stay as they are', async () => {
  const { store, path, close } = await openTemporarySqlite();
  onTestFinished(close);
  await store.write(async (tx) => {
    await tx.accounts.insert(accountRecord());
    for (const walletId of ['wal_a', 'wal_b', 'wal_c'] as const) {
      await tx.wallets.insert(walletRecord(walletId));
      await tx.ledger.insertCoins([coinRecord(walletId, { walletId, amountSats: 500n })]);
    }
  });
  const database = new DatabaseSync(path);
  database.exec("update wallet_sums set amount_sats = 7 where wallet_id = 'wal_b'");
  database.close();

  const said: unknown[] = [];
  const log = { info: () => {}, warn: () => {}, error: (fields: unknown) => void said.push(fields) };
  const checks = createSumChecks({ store, log: log as never, clock: Date.now });
  checks.worker.start();
  await expect.poll(() => checks.counts()).toEqual({ checked: 3, wrong: 1 });
  await checks.worker.stop();
  expect(said).toEqual([
    {
      ...{ part: 'sums', accountId: 'acc_one', walletId: 'wal_b' },
      sums: [{ class: 1, kept: [1, '7'], counted: [1, '500'] }],
    },
  ]);
  expect((await store.read.coins.balance('acc_one', 'wal_b', 100)).confirmedSats).toBe(500n);
});
