/** A database whose coins and scripts were not added up: they are from now on, those that were there before among them. */
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { MIGRATIONS } from '../../src/store/contents.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { type OlderDatabase, upgradedPostgres, upgradedSqlite } from '../builders/older-databases.ts';
import { accountRecord, coinRecord, scriptRecord, walletRecord } from '../builders/store-records.ts';
import { openTemporarySqlite, type TemporaryPostgres, withPostgres } from '../builders/stores.ts';

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

it('says which migration it is at, and nothing of a new database', async () => {
  const { store, path, close } = await openTemporarySqlite({ migrations: old.migrations });
  onTestFinished(close);
  await store.close();
  const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() };
  const open = (file: string) => openSqliteStore({ path: file, role: 'service', log, clock: Date.now });
  await (await open(path)).close();
  const line = { path, version: 17, name: 'what wallets hold', statement: 1, of: expect.any(Number) };
  expect(log.info).toHaveBeenCalledWith(line, 'migrating the database');
  log.info.mockClear();
  await (await open(`${path}.new`)).close();
  expect(log.info).not.toHaveBeenCalledWith(expect.anything(), 'migrating the database');
});

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
    for (const walletId of ['wal_one', 'wal_other'] as const) {
      expect((await store.write((tx) => tx.walletSums.check(walletId))).wrong).toEqual([]);
    }
  } finally {
    await store.close();
  }
});
