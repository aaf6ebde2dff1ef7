import { createPublicKey, randomBytes, sign, verify } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { calculateJwkThumbprint } from 'jose';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { firstKeyStands, firstStart } from '../../src/services/credentials/first-start.ts';
import { createSigningKeys } from '../../src/services/credentials/signing-keys.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import type { Store } from '../../src/store/store.ts';
import { apiKeysOn } from '../builders/api-keys.ts';

let dataDir: string;
let store: Store;
let logged: string;
const log = pino(
  { level: 'trace' },
  {
    write(line: string) {
      logged += line;
    },
  },
);
const clock = Date.now;
const file = () => join(dataDir, 'admin-credentials.json');
const credentials = () => JSON.parse(readFileSync(file(), 'utf8'));
const start = (on: Store = store) =>
  firstStart({
    store: on,
    signingKeys: createSigningKeys({ store: on, clock, log }),
    dataDir,
    randomBytes,
    clock,
    log,
  });
const verifyKey = (apiKey: string) => apiKeysOn(store, { clock }).verify(apiKey, '127.0.0.1');

beforeEach(async () => {
  logged = '';
  dataDir = mkdtempSync(join(tmpdir(), 'ashlar-first-'));
  store = await openSqliteStore({ path: join(dataDir, 'ashlar.db'), role: 'service', log, clock });
});
afterEach(async () => {
  await store.close();
  rmSync(dataDir, { recursive: true, force: true });
});

describe('the first start', () => {
  it('makes account default and an admin key that works, readable by the owner alone', async () => {
    await start();
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    const { api_key: apiKey } = credentials();
    expect(apiKey).toMatch(/^ak_[0-9A-Za-z]{8}_[0-9A-Za-z]{43}$/);
    const caller = await verifyKey(apiKey);
    expect(caller.credential).toMatchObject({ role: 'admin', scopes: ['*'] });
    expect((await store.read.accounts.find(caller.accountId))?.name).toBe('default');
  });

  it('pairs the key with an Ed25519 key, enrolled under its RFC 7638 thumbprint', async () => {
    await start();
    const { key_id: keyId, private_key: jwk, api_key: apiKey } = credentials();
    expect(jwk).toMatchObject({ kty: 'OKP', crv: 'Ed25519' });
    expect(await calculateJwkThumbprint({ kty: jwk.kty, crv: jwk.crv, x: jwk.x }, 'sha256')).toBe(keyId);
    const { accountId } = await verifyKey(apiKey);
    const [first] = await store.read.apiKeys.list(accountId);
    const record = await store.read.signingKeys.find(accountId, keyId);
    expect(record).toMatchObject({ credentialKind: 'api_key', credentialId: first?.keyId, algorithm: 'ed25519' });
    expect(record?.publicJwk).toEqual({ kty: 'OKP', crv: 'Ed25519', x: jwk.x });
    const signature = sign(null, Buffer.from('m'), { key: jwk, format: 'jwk' });
    const enrolled = createPublicKey({ key: record?.publicJwk as never, format: 'jwk' });
    expect(verify(null, Buffer.from('m'), enrolled, signature)).toBe(true);
  });

  it('keeps the key as a hash only, and logs the name of the file and no secret', async () => {
    await start();
    const { api_key: apiKey, private_key: jwk } = credentials();
    expect(logged).toContain(file());
    for (const secret of [apiKey, apiKey.slice(12), jwk.d]) {
      expect(logged).not.toContain(secret);
    }
    await store.close();
    const bytes = ['ashlar.db', 'ashlar.db-wal'].map((name) => {
      const path = join(dataDir, name);
      return existsSync(path) ? readFileSync(path).toString('latin1') : '';
    });
    expect(bytes.join('')).not.toContain(apiKey.slice(12));
    expect(bytes.join('')).not.toContain(jwk.d);
    store = await openSqliteStore({ path: join(dataDir, 'ashlar.db'), role: 'service', log, clock });
  });

  it('is made once: neither a deleted file nor another start makes another', async () => {
    await start();
    const before = readFileSync(file(), 'utf8');
    await start();
    expect(readFileSync(file(), 'utf8')).toBe(before);
    rmSync(file());
    await start();
    expect(existsSync(file())).toBe(false);
    expect(await store.read.accounts.count()).toBe(1);
  });

  it('takes up the file after a crash between file and commit', async () => {
    const crashing = { ...store, write: () => Promise.reject(new Error('crash')) } as Store;
    await expect(start(crashing)).rejects.toThrow('crash');
    const written = readFileSync(file(), 'utf8');
    expect(await store.read.accounts.count()).toBe(0);
    await start();
    expect(readFileSync(file(), 'utf8')).toBe(written);
    await expect(verifyKey(credentials().api_key)).resolves.toBeDefined();
  });

  it('refuses to write over a file that is something else', async () => {
    writeFileSync(file(), '{"mine": true}');
    await expect(start()).rejects.toThrow(/admin-credentials.json is there but holds no credentials/);
    expect(readFileSync(file(), 'utf8')).toBe('{"mine": true}');
  });

  it('leaves one key where two processes start on one database', async () => {
    const other = mkdtempSync(join(tmpdir(), 'ashlar-first-'));
    try {
      const signingKeys = createSigningKeys({ store, clock, log });
      await Promise.all([start(), firstStart({ store, signingKeys, dataDir: other, randomBytes, clock, log })]);
      const files = [dataDir, other].map((folder) => join(folder, 'admin-credentials.json')).filter(existsSync);
      expect(files).toHaveLength(1);
      await expect(verifyKey(JSON.parse(readFileSync(files[0] as string, 'utf8')).api_key)).resolves.toBeDefined();
      expect(await store.read.accounts.count()).toBe(1);
    } finally {
      rmSync(other, { recursive: true, force: true });
    }
  });

  it('is remembered until its key is rotated, though the key works on for a while', async () => {
    await start();
    const { accountId, credential } = await verifyKey(credentials().api_key);
    await apiKeysOn(store, { clock }).rotate(accountId, credential.id, { overlapSeconds: 60, createdBy: null });
    await expect(verifyKey(credentials().api_key)).resolves.toBeDefined();
    expect(await firstKeyStands(store, Date.now())).toBe(false);
  });

  it('is remembered until its key is revoked', async () => {
    await start();
    expect(await firstKeyStands(store, Date.now())).toBe(true);
    const { accountId, credential } = await verifyKey(credentials().api_key);
    await apiKeysOn(store, { clock }).revoke(accountId, credential.id);
    expect(await firstKeyStands(store, Date.now())).toBe(false);
  });
});
