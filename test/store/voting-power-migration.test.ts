/** A database with balances from before there were delegations: all power is known, and is what it was at earlier changes. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { NO_HOLDING, powerOf } from '../../src/core/governance/tally.ts';
import { MIGRATIONS } from '../../src/store/contents.ts';
import { type OlderDatabase, upgradedPostgres, upgradedSqlite } from '../builders/older-databases.ts';
import { type TemporaryPostgres, withPostgres } from '../builders/stores.ts';

let server: TemporaryPostgres;
beforeAll(async () => {
  server = await withPostgres();
});
afterAll(() => server.stop());

const BALANCES = ['0', '99999999', '100000000', '250000000', '900719925474099000000000'];
const old: OlderDatabase = {
  migrations: MIGRATIONS.slice(0, 64),
  rows: [
    "insert into accounts (account_id, name, created_at) values ('acc_old', 'old', 1)",
    `insert into governance_daos (account_id, parameters, supply, seq, created_at) values ('acc_old', '{}', '0', 5, 1)`,
    ...BALANCES.flatMap((balance, at) => [
      `insert into governance_holders (account_id, holder_id, address, registrations, balance, created_at)
        values ('acc_old', 'key_${at}', 'gov_${at}', 0, '${balance}', 1)`,
      `insert into governance_entries (account_id, holder_id, seq, type, change, balance, created_at)
        values ('acc_old', 'key_${at}', ${at + 1}, 'mint', '${balance}', '${balance}', 1)`,
    ]),
  ],
};

it.each([
  ['SQLite', () => upgradedSqlite(old)],
  ['PostgreSQL', () => upgradedPostgres(server, old)],
])('on %s', { timeout: 120_000 }, async (_, open) => {
  const store = await open();
  const { read } = store;
  expect(await read.governance.findDao('acc_old')).toMatchObject({
    ...{ totalPower: 9_007_199_254_740_990n + 3n, holders: 5, entries: 5, proposals: 0 },
  });
  expect(await read.governance.findHolder('acc_old', 'key_4')).toMatchObject({ entries: 1 });
  const largest = await read.governance.entryAt('acc_old', 'key_4', 9);
  expect([largest?.delegated, powerOf(largest ?? NO_HOLDING)]).toEqual([0n, 9_007_199_254_740_990n]);
  expect(await read.governance.entryAt('acc_old', 'key_4', 4)).toBeNull();
  await store.close();
});
