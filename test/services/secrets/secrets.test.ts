import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLocalKeyProvider } from '../../../src/services/secrets/local-key-provider.ts';
import { makeMasterKey, readMasterKey } from '../../../src/services/secrets/master-key-file.ts';
import { openKeyProvider } from '../../../src/services/secrets/open-key-provider.ts';
import { createSecretBox } from '../../../src/services/secrets/secret-box.ts';
import { openServiceKey } from '../../../src/services/secrets/service-key.ts';
import type { EncryptedSecret } from '../../../src/store/records.ts';
import { openTemporarySqlite } from '../../builders/stores.ts';

const provider = (fill = 1) => createLocalKeyProvider({ masterKey: new Uint8Array(32).fill(fill), randomBytes });
const WALLET = { walletId: 'wal_one', purpose: 'wallet-keys' } as const;

describe('wallet secrets at rest', () => {
  const box = createSecretBox({ provider: provider(), randomBytes });
  const secret = Buffer.from('a seed, sixty-four bytes or so');

  it('open as what they were sealed for', async () => {
    const sealed = await box.encrypt(secret, WALLET);
    expect(Buffer.from(await box.decrypt(sealed, WALLET))).toEqual(secret);
    expect(JSON.stringify(sealed)).not.toContain(secret.toString('base64url'));
    const again = await box.encrypt(secret, WALLET);
    expect(again.ciphertext).not.toBe(sealed.ciphertext);
    expect(again.wrappedKey).not.toBe(sealed.wrappedKey);
  });

  it('do not open as another wallet, under another key, or changed in any field', async () => {
    const sealed = await box.encrypt(secret, WALLET);
    await expect(box.decrypt(sealed, { ...WALLET, walletId: 'wal_two' })).rejects.toThrow();
    const other = createSecretBox({ provider: provider(2), randomBytes });
    await expect(other.decrypt(sealed, WALLET)).rejects.toThrow('not here');
    await expect(other.decrypt({ ...sealed, keyId: provider(2).keyId }, WALLET)).rejects.toThrow();
    for (const field of ['wrappedKey', 'iv', 'ciphertext', 'tag'] as const satisfies (keyof EncryptedSecret)[]) {
      const bytes = Buffer.from(sealed[field], 'base64url');
      bytes[0]! ^= 1;
      await expect(box.decrypt({ ...sealed, [field]: bytes.toString('base64url') }, WALLET)).rejects.toThrow();
    }
  });

  it('a shortened tag does not open', async () => {
    const sealed = await box.encrypt(secret, WALLET);
    const tag = Buffer.from(sealed.tag, 'base64url').subarray(0, 4).toString('base64url');
    await expect(box.decrypt({ ...sealed, tag }, WALLET)).rejects.toThrow();
  });

  it('a wrapped key unwraps under its context only', async () => {
    const keys = provider();
    const wrapped = await keys.wrap(new Uint8Array(32).fill(9), 'wallet one');
    expect([...(await keys.unwrap(wrapped, 'wallet one'))]).toEqual(new Array(32).fill(9));
    await expect(keys.unwrap(wrapped, 'wallet two')).rejects.toThrow();
  });
});

describe('the master key file', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'ashlar-key-'));
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  it('is made once, 32 bytes, for its owner alone, whoever comes first', async () => {
    const path = join(directory, 'master.key');
    const keys = await Promise.all(Array.from({ length: 8 }, () => makeMasterKey(path, randomBytes)));
    expect(new Set(keys.map((key) => key.toString('hex'))).size).toBe(1);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readFile(path)).toHaveLength(32);
    expect(await readdir(directory)).toEqual(['master.key']);
  });

  it('is read as bytes or as hex', async () => {
    const path = join(directory, 'given.key');
    await writeFile(path, `${'ab'.repeat(32)}\n`, { mode: 0o600 });
    expect((await readMasterKey(path))?.toString('hex')).toBe('ab'.repeat(32));
    await writeFile(path, 'ab'.repeat(31));
    await expect(readMasterKey(path)).rejects.toThrow('32 bytes or 64 hex digits');
    expect(await readMasterKey(join(directory, 'absent'))).toBeNull();
  });

  it.each([0o640, 0o604, 0o660, 0o644])('is refused with mode %o', async (mode) => {
    const path = join(directory, 'master.key');
    await makeMasterKey(path, randomBytes);
    await chmod(path, mode);
    await expect(readMasterKey(path)).rejects.toThrow(`chmod 600 ${path}`);
  });
});

describe('the key provider at start', () => {
  it('makes the key at the first start and finds it at the next', async () => {
    await using sqlite = await openTemporarySqlite();
    const options = { store: sqlite.store, dataDir: sqlite.directory, masterKeyFile: null, randomBytes };
    const first = await openKeyProvider(options);
    const wrapped = await first.wrap(new Uint8Array(32).fill(3), 'wallet x');
    const second = await openKeyProvider(options);
    expect(second.keyId).toBe(first.keyId);
    expect([...(await second.unwrap(wrapped, 'wallet x'))]).toEqual(new Array(32).fill(3));
  });

  it('refuses a key that is not this database’s, and does not make a new one in the place of a lost one', async () => {
    await using sqlite = await openTemporarySqlite();
    const options = { store: sqlite.store, dataDir: sqlite.directory, masterKeyFile: null, randomBytes };
    await openKeyProvider(options);
    const path = join(sqlite.directory, 'master.key');
    await rm(path);
    await expect(openKeyProvider(options)).rejects.toThrow('missing');
    await makeMasterKey(path, randomBytes);
    await expect(openKeyProvider(options)).rejects.toThrow('not the one this database was made with');
  });

  it('must be given with PostgreSQL, and a given file must be there', async () => {
    await using sqlite = await openTemporarySqlite();
    const options = { store: sqlite.store, dataDir: sqlite.directory, masterKeyFile: null, randomBytes };
    const postgres = { ...sqlite.store, kind: 'postgres' as const, read: sqlite.store.read };
    await expect(openKeyProvider({ ...options, store: postgres })).rejects.toThrow('MASTER_KEY_FILE');
    const masterKeyFile = join(sqlite.directory, 'given.key');
    await expect(openKeyProvider({ ...options, masterKeyFile })).rejects.toThrow('where there is no file');
    await makeMasterKey(masterKeyFile, randomBytes);
    expect((await openKeyProvider({ ...options, masterKeyFile })).keyId).toMatch(/^local-[0-9a-f]{16}$/);
  });

  it('gives the service’s own keys, the same at every start', async () => {
    await using sqlite = await openTemporarySqlite();
    const deps = { store: sqlite.store, provider: provider(), randomBytes };
    const [one, same] = await Promise.all([openServiceKey(deps, 'answers'), openServiceKey(deps, 'answers')]);
    expect(Buffer.from(one!)).toEqual(Buffer.from(same!));
    expect(Buffer.from(await openServiceKey(deps, 'other'))).not.toEqual(Buffer.from(one!));
    expect(await sqlite.store.read.settings.get('service_key:answers')).not.toContain(
      Buffer.from(one!).toString('base64url'),
    );
  });
});
