/** Records of before are found by the txid that they had without signatures. */

import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AccountId } from '../../src/core/ids.ts';
import { MIGRATIONS } from '../../src/store/contents.ts';
import { type OlderDatabase, upgradedPostgres, upgradedSqlite } from '../builders/older-databases.ts';
import { txidOf } from '../builders/store-records.ts';
import { type TemporaryPostgres, withPostgres } from '../builders/stores.ts';

let server: TemporaryPostgres;
beforeAll(async () => {
  server = await withPostgres();
});
afterAll(() => server.stop());

const payment = (name: string, unsigned: string, ordinal: number) =>
  `insert into transactions (account_id, txid, unsigned_txid, wallet_id, ordinal, kind, status, direction, recipients, amount_sats, version,
    locktime, rbf, created_at, updated_at)
    values ('acc_a', '${txidOf(name)}', '${txidOf(unsigned)}', 'wal_a', ${ordinal}, 'payment', 'broadcast', 'outgoing', '[]', 1, 2, 0, 1, 1, 1)`;
const old: OlderDatabase = {
  migrations: MIGRATIONS.filter(({ version }) => version < 34),
  rows: [
    "insert into accounts (account_id, name, created_at, transaction_count) values ('acc_a', 'a', 1, 4)",
    `insert into wallets (wallet_id, account_id, name, type, backup_type, network, external_descriptor, is_default,
      birthday_height, next_external_index, next_internal_index, scan_state, created_at)
      values ('wal_a', 'acc_a', 'w', 'legacy', 'none', 'regtest', 'd', 0, 0, 0, 0, 'idle', 1)`,
    payment('segwit', 'segwit', 1),
    payment('legacy', 'unsigned', 2),
    payment('signed otherwise', 'unsigned', 3),
  ],
};

it.each([
  ['SQLite', () => upgradedSqlite(old)],
  ['PostgreSQL', () => upgradedPostgres(server, old)],
])('on %s', async (_, upgraded) => {
  const store = await upgraded();
  try {
    for (const find of [store.read.transactions.find, store.read.transactions.findShown]) {
      const found = async (name: string, accountId: AccountId = 'acc_a') => (await find(accountId, txidOf(name)))?.txid;
      expect(await found('segwit')).toBe(txidOf('segwit'));
      expect(await found('legacy')).toBe(txidOf('legacy'));
      expect(await found('unsigned')).toBe(txidOf('signed otherwise'));
      expect(await found('unsigned', 'acc_b')).toBeUndefined();
    }
  } finally {
    await store.close();
  }
});
