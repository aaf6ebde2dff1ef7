/** A database from before taproot outputs and MuSig2 sessions gets their tables, and keeps what is in it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MIGRATIONS } from '../../src/store/migrations/migrate.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import type { Store } from '../../src/store/store.ts';
import { accountRecord, scriptRecord, walletRecord } from '../builders/store-records.ts';
import { openTemporarySqlite, silent, type TemporaryPostgres, withPostgres } from '../builders/stores.ts';

const BEFORE = MIGRATIONS.slice(0, 6);
const OUTPUT = {
  outputId: 'tro_one',
  accountId: 'acc_old',
  name: null,
  externalId: null,
  network: 'regtest',
  internalKey: '1'.repeat(64),
  tree: null,
  leafCount: 0,
  merkleRoot: null,
  outputKey: '2'.repeat(64),
  parity: 0,
  scriptPubKey: `5120${'2'.repeat(64)}`,
  address: 'bcrt1pone',
  createdAt: 1,
  updatedAt: 1,
} as const;

let server: TemporaryPostgres;
beforeAll(async () => {
  server = await withPostgres();
});
afterAll(() => server.stop());

async function fill(store: Store): Promise<void> {
  await store.write(async (tx) => {
    await tx.accounts.insert(accountRecord('acc_old'));
    await tx.wallets.insert(walletRecord('wal_old', { accountId: 'acc_old' }));
    const watched = { walletId: 'wal_old', accountId: 'acc_old', scriptPubKey: OUTPUT.scriptPubKey };
    await tx.scripts.insertMissing([scriptRecord(0, watched)]);
  });
  await expect(store.read.taprootOutputs.find('acc_old', 'tro_one')).rejects.toThrow(/taproot_outputs/);
  await store.close();
}

async function onSqlite(): Promise<Store> {
  const { store, path } = await openTemporarySqlite({ migrations: BEFORE });
  await fill(store);
  return openSqliteStore({ path, role: 'service', log: silent, clock: Date.now });
}
async function onPostgres(): Promise<Store> {
  const url = await server.newDatabase();
  await fill(await openPostgresStore({ url, log: silent, clock: Date.now, migrations: BEFORE }));
  return openPostgresStore({ url, log: silent, clock: Date.now });
}

describe.each([
  ['SQLite', onSqlite],
  ['PostgreSQL', onPostgres],
])('a database of version 6 on %s', (_, open) => {
  it('takes outputs, and its wallets of before watch their scripts', async () => {
    const store = await open();
    try {
      await store.write((tx) => tx.taprootOutputs.insert(OUTPUT));
      expect(await store.read.taprootOutputs.find('acc_old', 'tro_one')).toEqual(OUTPUT);
      expect(await store.read.taprootOutputs.watchedBy('acc_old', OUTPUT.scriptPubKey)).toBe('wal_old');
      expect((await store.read.musigSessions.list('acc_old', {}, { limit: 1, offset: 0 })).total).toBe(0);
    } finally {
      await store.close();
    }
  });
});
