/** A database whose coins and scripts were not added up: they are from now on, those that were there before among them. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { MIGRATIONS } from '../../src/store/contents.ts';
import { type OlderDatabase, upgradedPostgres, upgradedSqlite } from '../builders/older-databases.ts';
import { accountRecord, coinRecord, scriptRecord, walletRecord } from '../builders/store-records.ts';
import { type TemporaryPostgres, withPostgres } from '../builders/stores.ts';

let server: TemporaryPostgres;
beforeAll(async () => {
  server = await withPostgres();
});
afterAll(() => server.stop());

const old: OlderDatabase = {
  migrations: MIGRATIONS.filter(({ version }) => version < 17),
  fill: (store) =>
    store.write(async (tx) => {
      for (const [accountId, walletId] of [
        ['acc_one', 'wal_one'],
        ['acc_two', 'wal_other'],
      ] as const) {
        await tx.accounts.insert(accountRecord(accountId));
        await tx.wallets.insert(walletRecord(walletId, { accountId }));
        const mine = { accountId, walletId };
        await tx.scripts.insertMissing([
          scriptRecord(0, { ...mine, reservedAt: 5, usedAt: 6 }),
          scriptRecord(1, { ...mine, change: true }),
        ]);
        await tx.ledger.insertCoins([
          coinRecord('confirmed', { ...mine, amountSats: 1n }),
          coinRecord('locked', { ...mine, amountSats: 20n, locked: true }),
          coinRecord('pending', { ...mine, amountSats: 300n, height: null }),
          coinRecord('mined', { ...mine, amountSats: 4_000n, coinbase: true, height: 90 }),
          coinRecord('dead', { ...mine, amountSats: 50_000n, live: false }),
          coinRecord('spent', { ...mine, amountSats: 600_000n, spentBy: coinRecord('spender').txid }),
        ]);
      }
    }),
  rows: [],
};

it.each([
  ['SQLite', () => upgradedSqlite(old)],
  ['PostgreSQL', () => upgradedPostgres(server, old)],
])('on %s', async (_, upgraded) => {
  const store = await upgraded();
  try {
    const balance = () => store.read.coins.balance('acc_one', 'wal_one', 100);
    expect(await balance()).toEqual({ confirmedSats: 21n, pendingSats: 300n, immatureSats: 4_000n, lockedSats: 20n });
    const addresses = await store.read.scripts.list('acc_two', 'wal_other', { used: true }, { limit: 1, offset: 0 });
    expect(addresses.total).toBe(1);
    await store.write((tx) => tx.coins.release('acc_one', coinRecord('spender').txid));
    expect((await balance()).confirmedSats).toBe(600_021n);
    for (const walletId of ['wal_one', 'wal_other']) {
      expect((await store.write((tx) => tx.walletSums.check(walletId))).wrong).toEqual([]);
    }
  } finally {
    await store.close();
  }
});
