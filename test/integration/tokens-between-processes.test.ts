/** Access tokens of two processes on one PostgreSQL: one set of keys, one list of what was revoked, felt by the very next request. */
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeProtectedHeader } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AccountId } from '../../src/core/ids.ts';
import { newOAuthClient } from '../../src/services/credentials/new-oauth-client.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import type { Store } from '../../src/store/store.ts';
import { CLI } from '../builders/built.ts';
import { childEnvironment } from '../builders/child-environment.ts';
import { type ServiceProcess, startService } from '../builders/service-process.ts';
import { silent, type TemporaryPostgres, withPostgres } from '../builders/stores.ts';

let postgres: TemporaryPostgres;
let secrets: string;
let env: Record<string, string>;
let store: Store;
let first: ServiceProcess;
let second: ServiceProcess;
let accountId: AccountId;

beforeAll(async () => {
  postgres = await withPostgres();
  secrets = mkdtempSync(join(tmpdir(), 'ashlar-secrets-'));
  writeFileSync(join(secrets, 'master.key'), randomBytes(32), { mode: 0o600 });
  env = {
    DATABASE_URL: await postgres.newDatabase(),
    MASTER_KEY_FILE: join(secrets, 'master.key'),
    CHAIN: 'simulated',
    PUBLIC_ORIGINS: 'https://ashlar.test',
  };
  first = await startService(env);
  second = await startService(env);
  store = await openPostgresStore({ url: env.DATABASE_URL ?? '', log: silent, clock: Date.now });
  accountId = (await store.read.accounts.findByName('default'))!.accountId;
});
afterAll(async () => {
  await Promise.all([first?.dispose(), second?.dispose()]);
  await store?.close();
  await postgres?.stop();
  rmSync(secrets, { recursive: true, force: true });
});

async function makeClient() {
  const { record, clientSecret } = newOAuthClient(
    {
      accountId,
      name: 'shared',
      role: 'viewer',
      scopes: ['wallets:read'],
      tier: 'standard',
      limits: null,
      allowedIps: null,
      requireSignature: true,
      mayGrant: false,
      expiresAt: null,
    },
    randomBytes,
    Date.now(),
  );
  await store.write((tx) => tx.oauthClients.insert(record));
  return { client_id: record.clientId, client_secret: clientSecret };
}
type Client = Awaited<ReturnType<typeof makeClient>>;

const post = (service: ServiceProcess, path: string, form: Record<string, string>) =>
  fetch(service.baseUrl + path, { method: 'POST', body: new URLSearchParams(form) });

async function tokenOf(service: ServiceProcess, client: Client): Promise<string> {
  const response = await post(service, '/oauth/token', { ...client, grant_type: 'client_credentials' });
  expect(response.status).toBe(200);
  return ((await response.json()) as { access_token: string }).access_token;
}
async function statusOf(service: ServiceProcess, token: string): Promise<number> {
  const response = await fetch(`${service.baseUrl}/api/v1/wallets`, { headers: { authorization: `Bearer ${token}` } });
  await response.arrayBuffer();
  return response.status;
}
const published = async (service: ServiceProcess) =>
  (await (await fetch(`${service.baseUrl}/.well-known/jwks.json`)).json()) as { keys: { kid: string }[] };

describe('two processes on one PostgreSQL', () => {
  it('sign with one key, and take the tokens of each other', async () => {
    expect(await published(second)).toEqual(await published(first));
    const client = await makeClient();
    const tokens = [await tokenOf(first, client), await tokenOf(second, client)];
    for (const token of tokens) {
      expect([await statusOf(first, token), await statusOf(second, token)]).toEqual([200, 200]);
    }
    expect(new Set(tokens.map((token) => decodeProtectedHeader(token).kid)).size).toBe(1);
  });

  it('refuse a token that was revoked at the other', async () => {
    const client = await makeClient();
    const token = await tokenOf(first, client);
    expect(await statusOf(second, token)).toBe(200);
    expect((await post(first, '/oauth/revoke', { ...client, token })).status).toBe(200);
    expect(await statusOf(first, token)).toBe(401);
    expect(await statusOf(second, token)).toBe(401);
  });

  it('refuse the tokens of a client that another process revoked', async () => {
    const client = await makeClient();
    const token = await tokenOf(first, client);
    expect([await statusOf(first, token), await statusOf(second, token)]).toEqual([200, 200]);
    await store.write((tx) => tx.oauthClients.revoke(accountId, client.client_id, Date.now()));
    expect([await statusOf(first, token), await statusOf(second, token)]).toEqual([401, 401]);
  });

  it('refuse the tokens of a key that the command line revoked, and sign with its successor', async () => {
    const client = await makeClient();
    const token = await tokenOf(first, client);
    expect([await statusOf(first, token), await statusOf(second, token)]).toEqual([200, 200]);
    const { kid = '' } = decodeProtectedHeader(token);
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', CLI, 'token-keys', 'revoke', kid],
      { env: { ...childEnvironment, DATA_DIR: first.dataDir, ...env }, cwd: secrets, encoding: 'utf8' },
    );
    expect(status, stderr).toBe(0);
    const [successor, revoked] = JSON.parse(stdout).data;
    expect(successor).toMatchObject({ signing: true, published: true, revoked_at: null });
    expect(revoked).toMatchObject({ kid, signing: false, published: false, revoked_at: expect.any(String) });
    expect([await statusOf(first, token), await statusOf(second, token)]).toEqual([401, 401]);
    const fresh = await tokenOf(second, client);
    expect(decodeProtectedHeader(fresh).kid).toBe(successor.kid);
    expect([await statusOf(first, fresh), await statusOf(second, fresh)]).toEqual([200, 200]);
    expect((await published(first)).keys.map((key) => key.kid)).toEqual([successor.kid]);
  });
});
