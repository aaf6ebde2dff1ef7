/** What older databases say of who may grant: the key that each account began with, and what it was rotated to. */
import { afterAll, beforeAll, expect, it } from 'vitest';
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
  account: string,
  name: string,
  createdAt: number,
  more: { scopes?: string; to?: string } = {},
) =>
  `insert into api_keys (key_id, account_id, name, prefix, secret_hash, role, scopes, tier, created_at, rotated_to)
    values ('${id}', '${account}', '${name}', '${id.padStart(8, '0')}', 'h', 'admin', '${more.scopes ?? '["*"]'}', 'standard',
      ${createdAt}, ${more.to === undefined ? 'null' : `'${more.to}'`})`;

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
    expect((await store.read.oauthClients.findByClientId('cli_one'))?.mayGrant).toBe(false);
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
