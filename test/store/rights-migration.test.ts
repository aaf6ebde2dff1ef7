/** What older databases say of who may grant: the key that each account began with, and what it was rotated to; and of who made a key. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AccountId } from '../../src/core/ids.ts';
import { MIGRATIONS } from '../../src/store/contents.ts';
import { type OlderDatabase, upgradedPostgres, upgradedSqlite } from '../builders/older-databases.ts';
import { type TemporaryPostgres, withPostgres } from '../builders/stores.ts';

let server: TemporaryPostgres;
beforeAll(async () => {
  server = await withPostgres();
});
afterAll(() => server.stop());

const key = (
  id: string,
  account: AccountId,
  name: string,
  createdAt: number,
  more: { scopes?: string; to?: string; by?: string } = {},
) =>
  `insert into api_keys (key_id, account_id, name, prefix, secret_hash, role, scopes, tier, created_at, rotated_to, created_by)
    values ('${id}', '${account}', '${name}', '${id.padStart(8, '0')}', 'h', 'admin', '${more.scopes ?? '["*"]'}', 'standard',
      ${createdAt}, ${more.to === undefined ? 'null' : `'${more.to}'`}, ${more.by === undefined ? 'null' : `'${more.by}'`})`;

const old: OlderDatabase = {
  migrations: MIGRATIONS.slice(0, 11),
  rows: [
    "insert into accounts (account_id, name, created_at) values ('acc_a', 'default', 1), ('acc_b', 'tenant', 5)",
    "insert into settings (name, value) values ('first_start.key', 'acc_a a_one')",
    key('a_one', 'acc_a', 'first start', 1, { to: 'a_two' }),
    key('a_two', 'acc_a', 'first start', 2, { to: 'a_three' }),
    key('a_three', 'acc_a', 'first start', 3),
    key('a_other', 'acc_a', 'first key', 4),
    key('b_first', 'acc_b', 'first key', 5),
    key('b_later', 'acc_b', 'first key', 6),
    key('b_less', 'acc_b', 'first key', 5, { scopes: '["wallets:read"]', to: 'b_next' }),
    key('b_next', 'acc_b', 'first key', 7),
    key('p_one', 'acc_b', 'theirs', 8, { by: 'usr_one', to: 'p_two' }),
    key('p_two', 'acc_b', 'theirs', 9, { by: 'a_one' }),
    key('p_three', 'acc_b', 'made', 10, { by: 'p_two', to: 'p_four' }),
    key('p_four', 'acc_b', 'made', 11, { by: 'usr_two' }),
    key('n_one', 'acc_b', 'made', 12, { by: 'a_one', to: 'n_next' }),
    key('n_next', 'acc_b', 'made', 13, { by: 'usr_two' }),
    `insert into oauth_clients (client_id, account_id, name, role, scopes, tier, require_signature, secret_hash, created_at)
      values ('cli_one', 'acc_a', 'c', 'admin', '["*"]', 'standard', 1, '${'ab'.repeat(32)}', 1)`,
    `insert into users (user_id, account_id, username, role, scopes, tier, totp_last_step, created_at, updated_at)
      values ('usr_one', 'acc_a', 'ada', 'admin', '["*"]', 'standard', 0, 1, 1)`,
  ],
};

it.each([
  ['SQLite', () => upgradedSqlite(old)],
  ['PostgreSQL', () => upgradedPostgres(server, old)],
])('on %s', async (_, upgraded) => {
  const store = await upgraded();
  try {
    const keys = [...(await store.read.apiKeys.list('acc_a')), ...(await store.read.apiKeys.list('acc_b'))];
    const granting = keys.filter(({ mayGrant }) => mayGrant).map(({ keyId }) => keyId);
    expect(granting.sort()).toEqual(['a_one', 'a_three', 'a_two', 'b_first']);
    const counted = keys.filter(({ countsAs }) => countsAs !== null);
    expect(counted.map(({ keyId, countsAs }) => [keyId, countsAs]).sort()).toEqual(
      [
        ...['p_four', 'p_one', 'p_three', 'p_two'].map((keyId) => [keyId, 'usr_one']),
        ...[
          ['a_two', 'a_one'],
          ['a_three', 'a_one'],
          ['b_next', 'b_less'],
          ['n_next', 'n_one'],
        ],
      ].sort(),
    );
    expect(await store.read.oauthClients.findByClientId('cli_one')).toMatchObject({ mayGrant: false, countsAs: null });
    expect(await store.read.users.find('acc_a', 'usr_one')).toMatchObject({
      mayGrant: false,
      expiresAt: null,
      allowedIps: null,
      hadRights: null,
      setByRights: null,
    });
  } finally {
    await store.close();
  }
});
