/** The history in pages: each transaction with each of its wallets once, however many there are. */
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import type { AccountId } from '../../../src/core/ids.ts';
import { minedOf, movementsOf } from '../../../src/services/reports/types/movements.ts';
import { accountRecord, blockRecord, transactionRecord, txidOf, walletRecord } from '../../builders/store-records.ts';
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

it('comes whole in the order of blocks, dense or far apart; not where blocks are disconnected meanwhile', async () => {
  const { store, close } = await openTemporarySqlite();
  /** A block of more than a page, and one of one transaction every 400. */
  const heights = [...Array(1_201).fill(5_000), ...Array.from({ length: 12 }, (_, n) => 4_800 - 400 * n)];
  await store.write(async (tx) => {
    await tx.accounts.insert(accountRecord(accountId));
    await tx.wallets.insert(walletRecord());
    await tx.ledger.insertBlocks([blockRecord(5_000)]);
    const effects = [{ walletId: 'wal_one' as const, receivedSats: 1n, sentSats: 0n }];
    for (const [n, blockHeight] of heights.entries())
      await tx.transactions.insert(
        transactionRecord(n, { blockHeight, status: 'confirmed', createdAt: n }),
        [],
        effects,
      );
    await tx.transactions.insert(transactionRecord('later', { blockHeight: 5_000, createdAt: 5e9 }), [], effects);
  });
  const source = { read: store.read, accountId, from: 0, to: 4e9, wallets: null } as never;
  const ordinals: number[] = [];
  for await (const page of minedOf(source)) ordinals.push(...page.map(({ ordinal }) => ordinal));
  const dense = Array.from({ length: 1_201 }, (_, n) => n + 1);
  expect(ordinals).toEqual([...Array.from({ length: 12 }, (_, n) => 1_213 - n), ...dense]);

  const disconnected = async () => {
    for await (const _ of minedOf(source)) await store.write((tx) => tx.ledger.deleteBlock(5_000));
  };
  await expect(disconnected()).rejects.toMatchObject({ code: 'unavailable' });
  await close();
});
