/** The history in pages: each transaction with each of its wallets once, however many there are. */
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import type { AccountId } from '../../../src/core/ids.ts';
import { movementsOf } from '../../../src/services/reports/types/movements.ts';
import { accountRecord, transactionRecord, txidOf, walletRecord } from '../../builders/store-records.ts';
import { openTemporarySqlite } from '../../builders/stores.ts';

const accountId = 'acc_one' as AccountId;

it('has at most 500 rows a page, and misses none of a transaction that concerns 1,100 wallets', async () => {
  const { store, path, close } = await openTemporarySqlite();
  const wallets = [1, 1_100, 500, 3];
  await store.write(async (tx) => {
    await tx.accounts.insert(accountRecord(accountId));
    await tx.wallets.insert(walletRecord());
    for (const n of wallets.keys()) await tx.transactions.insert(transactionRecord(n), [], []);
  });
  const db = new DatabaseSync(path);
  db.exec('PRAGMA foreign_keys = OFF; BEGIN IMMEDIATE; DELETE FROM wallet_transactions');
  const link = db.prepare(
    `INSERT INTO wallet_transactions (wallet_id, account_id, txid, ordinal, received_sats, sent_sats) VALUES (?, '${accountId}', ?, ?, 1, 0)`,
  );
  for (const [n, count] of wallets.entries())
    for (let at = 0; at < count; at++) link.run(`wal_${at}`, txidOf(n), n + 1);
  db.exec('COMMIT');
  db.close();
  const source = { read: store.read, accountId, from: 0, to: Number.MAX_SAFE_INTEGER, wallets: null };
  const seen = new Map<string, Set<string>>();
  let [passed, rows] = [0, 0];
  for await (const page of movementsOf(source as never)) {
    expect(page.movements.length).toBeLessThanOrEqual(500);
    passed += page.passed;
    rows += page.movements.length;
    for (const { txid, walletId } of page.movements) seen.set(txid, (seen.get(txid) ?? new Set()).add(walletId));
  }
  expect([...seen.values()].map(({ size }) => size)).toEqual(wallets);
  expect([passed, rows]).toEqual([wallets.length, 1_604]);
  await close();
});
