/** A database whose scripts were not counted: they are from now on, those that were there before among them. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AccountId } from '../../src/core/ids.ts';
import { MIGRATIONS } from '../../src/store/contents.ts';
import { type OlderDatabase, upgradedPostgres, upgradedSqlite } from '../builders/older-databases.ts';
import { scriptRecord } from '../builders/store-records.ts';
import { type TemporaryPostgres, withPostgres } from '../builders/stores.ts';

let server: TemporaryPostgres;
beforeAll(async () => {
  server = await withPostgres();
});
afterAll(() => server.stop());

const script = (account: AccountId, index: number) =>
  `insert into scripts (wallet_id, account_id, script_pubkey, change, derivation_index, address)
    values ('wal_${account}', '${account}', '00${index}', 0, ${index}, 'a${index}')`;
const old: OlderDatabase = {
  migrations: MIGRATIONS.filter(({ version }) => version < 11),
  rows: [
    "insert into accounts (account_id, name, created_at) values ('acc_a', 'a', 1), ('acc_b', 'b', 5), ('acc_none', 'c', 5)",
    ...['acc_a', 'acc_b'].map(
      (
        account,
      ) => `insert into wallets (wallet_id, account_id, name, type, backup_type, network, external_descriptor, is_default,
        birthday_height, next_external_index, next_internal_index, scan_state, created_at)
        values ('wal_${account}', '${account}', 'w', 'watch-only', 'none', 'regtest', 'd', 0, 0, 0, 0, 'idle', 1)`,
    ),
    ...[0, 1, 2].map((index) => script('acc_a', index)),
    script('acc_b', 0),
  ],
};

it.each([
  ['SQLite', () => upgradedSqlite(old)],
  ['PostgreSQL', () => upgradedPostgres(server, old)],
])('on %s', async (_, upgraded) => {
  const store = await upgraded();
  try {
    const counts = () =>
      Promise.all((['acc_a', 'acc_b', 'acc_none'] as const).map((id) => store.read.scripts.count(id)));
    expect(await counts()).toEqual([3, 1, 0]);
    await store.write((tx) =>
      tx.scripts.insertMissing([scriptRecord(7, { walletId: 'wal_acc_b', accountId: 'acc_b' })]),
    );
    expect(await counts()).toEqual([3, 2, 0]);
  } finally {
    await store.close();
  }
});
