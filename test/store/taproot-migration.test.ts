/** A database from before taproot outputs and MuSig2 sessions gets their tables, and keeps what is in it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MIGRATIONS } from '../../src/store/contents.ts';
import { type OlderDatabase, upgradedPostgres, upgradedSqlite } from '../builders/older-databases.ts';
import { accountRecord, walletRecord } from '../builders/store-records.ts';
import { type TemporaryPostgres, withPostgres } from '../builders/stores.ts';

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

const old: OlderDatabase = {
  migrations: MIGRATIONS.slice(0, 6),
  async fill(store) {
    await store.write(async (tx) => {
      await tx.accounts.insert(accountRecord('acc_old'));
      await tx.wallets.insert(walletRecord('wal_old', { accountId: 'acc_old' }));
    });
    await expect(store.read.taprootOutputs.find('acc_old', 'tro_one')).rejects.toThrow(/taproot_outputs/);
  },
  rows: [
    `insert into scripts (wallet_id, account_id, script_pubkey, change, derivation_index, address)
      values ('wal_old', 'acc_old', '${OUTPUT.scriptPubKey}', 0, 0, 'bcrt1pone')`,
  ],
};

describe.each([
  ['SQLite', () => upgradedSqlite(old)],
  ['PostgreSQL', () => upgradedPostgres(server, old)],
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
