/** A database whose sessions were given nonces before payments were: none of them is taken again, for whichever. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { MIGRATIONS } from '../../src/store/contents.ts';
import type { Store } from '../../src/store/store.ts';
import { type OlderDatabase, upgradedPostgres, upgradedSqlite } from '../builders/older-databases.ts';
import { accountRecord } from '../builders/store-records.ts';
import { type TemporaryPostgres, withPostgres } from '../builders/stores.ts';

let server: TemporaryPostgres;
beforeAll(async () => {
  server = await withPostgres();
});
afterAll(() => server.stop());

const [given, fresh] = ['02'.repeat(66), '03'.repeat(66)];
const old: OlderDatabase = {
  migrations: MIGRATIONS.filter(({ version }) => version < 15),
  fill: (store: Store) => store.write((tx) => tx.accounts.insert(accountRecord('acc_old'))),
  rows: [
    `insert into musig_sessions (session_id, account_id, state, message, sorted, tweaks, participants, aggregate_key, created_at, updated_at)
      values ('mus_old', 'acc_old', 'cancelled', '00', 0, '[]', '[]', '${'1'.repeat(64)}', 1, 1)`,
    `insert into musig_nonces (account_id, public_nonce, session_id) values ('acc_old', '${given}', 'mus_old')`,
  ],
};

it.each([
  ['SQLite', () => upgradedSqlite(old)],
  ['PostgreSQL', () => upgradedPostgres(server, old)],
])('on %s', async (_, upgraded) => {
  const store = await upgraded();
  try {
    const take = (nonce: string) =>
      store.write((tx) => tx.musigSessions.takeNonce('acc_old', { publicNonce: nonce, usedBy: 'ab'.repeat(32) }));
    expect([await take(given), await take(fresh), await take(fresh)]).toEqual([false, true, false]);
  } finally {
    await store.close();
  }
});
