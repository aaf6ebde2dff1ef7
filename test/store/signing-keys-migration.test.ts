/** The pairs that stood beside API keys in a database of the first version are enrolled as signing keys. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MIGRATIONS } from '../../src/store/contents.ts';
import { type OlderDatabase, upgradedPostgres, upgradedSqlite } from '../builders/older-databases.ts';
import { type TemporaryPostgres, withPostgres } from '../builders/stores.ts';

const JWK = { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' };
const FIRST = MIGRATIONS.slice(0, 1);
const ROWS = [
  "insert into accounts (account_id, name, created_at) values ('acc_one', 'default', 1)",
  `insert into api_keys (key_id, account_id, name, prefix, secret_hash, role, scopes, tier, public_jwk, jwk_thumbprint, revoked_at, created_at)
    values ('key_1', 'acc_one', 'first start', 'AAAAAAA1', 'h', 'admin', '["*"]', 'standard', '${JSON.stringify(JWK)}', 'thumb', 9, 7),
           ('key_2', 'acc_one', 'bare', 'AAAAAAA2', 'h', 'viewer', '["*"]', 'standard', null, null, null, 8)`,
];

let server: TemporaryPostgres;
beforeAll(async () => {
  server = await withPostgres();
});
afterAll(() => server.stop());

const old: OlderDatabase = { migrations: FIRST, rows: ROWS };

describe.each([
  ['SQLite', () => upgradedSqlite(old)],
  ['PostgreSQL', () => upgradedPostgres(server, old)],
])('a database of version 1 on %s', (_, open) => {
  it('keeps the pair of each API key that had one', async () => {
    const store = await open();
    try {
      const { data } = await store.read.signingKeys.page('acc_one', {}, { limit: 10, offset: 0 });
      expect(data).toEqual([
        {
          keyId: 'thumb',
          accountId: 'acc_one',
          credentialKind: 'api_key',
          credentialId: 'key_1',
          name: 'first start',
          algorithm: 'ed25519',
          publicJwk: JWK,
          revokedAt: 9,
          lastUsedAt: null,
          createdAt: 7,
        },
      ]);
      expect(await store.read.apiKeys.list('acc_one')).toHaveLength(2);
    } finally {
      await store.close();
    }
  });
});
