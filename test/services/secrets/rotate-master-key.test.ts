import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { WalletId } from '../../../src/core/ids.ts';
import { createLocalKeyProvider, masterKeyId } from '../../../src/services/secrets/local-key-provider.ts';
import { masterKeyStands, openKeyProvider } from '../../../src/services/secrets/open-key-provider.ts';
import { rotateMasterKey } from '../../../src/services/secrets/rotate-master-key.ts';
import { createSecretBox } from '../../../src/services/secrets/secret-box.ts';
import { openServiceKey } from '../../../src/services/secrets/service-key.ts';
import { createTextCipher } from '../../../src/services/secrets/text-cipher.ts';
import { WRAPPED_KEYS } from '../../../src/services/secrets/wrapped-keys.ts';
import { encryptBackup, openBackup } from '../../../src/services/wallets/wallet-backup.ts';
import type { EncryptedSecret } from '../../../src/store/records.ts';
import type { Store } from '../../../src/store/store.ts';
import { localOracle, oracleEventRecord, oracleRecord } from '../../builders/contract-records.ts';
import { accountRecord, walletRecord } from '../../builders/store-records.ts';
import { openTemporarySqlite, type TemporarySqlite } from '../../builders/stores.ts';

const WALLETS = 450;
/** More than a page of them, with ids of every kind. */
const EVENTS = 230;
const ORACLE = 'ora_one';
const eventIdOf = (i: number) => `${i % 3 === 0 ? 'match ' : ''}${i}${i % 7 === 0 ? '\n€' : ''}`;
const noncesBinding = (i: number) => ({ oracleId: ORACLE, eventId: eventIdOf(i), purpose: 'oracle-nonces' }) as const;
/** With the service's own. */
const WRAPPED = WALLETS + 1 + 1 + EVENTS;
let sqlite: TemporarySqlite;
let store: Store;
let path: string;
const open = () => openKeyProvider({ store, dataDir: sqlite.directory, masterKeyFile: null, randomBytes });
const rotate = (more: Partial<Parameters<typeof rotateMasterKey>[0]> = {}) =>
  rotateMasterKey({ store, path, randomBytes, ...more });
const binding = (walletId: WalletId) => ({ walletId, purpose: 'wallet-keys' }) as const;
const idOf = (i: number): WalletId => `wal_${String(i).padStart(4, '0')}`;
const secretOf = (i: number) => Buffer.from(`the seed of wallet ${i}`);

/** What a service kept before: secrets of wallets, a key of its own and an answer under that. */
let answer: string;

beforeEach(async () => {
  sqlite = await openTemporarySqlite();
  store = sqlite.store;
  path = join(sqlite.directory, 'master.key');
  const provider = await open();
  const box = createSecretBox({ provider, randomBytes });
  const sealed = await Promise.all(
    Array.from({ length: WALLETS }, (_, i) => box.encrypt(secretOf(i), binding(idOf(i)))),
  );
  const oracleKey = await box.encrypt(Buffer.from('the key of an oracle'), { oracleId: ORACLE, purpose: 'oracle-key' });
  const eventNonces = await Promise.all(
    Array.from({ length: EVENTS }, (_, i) => box.encrypt(Buffer.from(`nonces ${i}`), noncesBinding(i))),
  );
  await store.write(async (tx) => {
    await tx.accounts.insert(accountRecord('acc_one'));
    await tx.accounts.insert(accountRecord('acc_two'));
    for (const [i, secret] of sealed.entries()) {
      await tx.wallets.insert(walletRecord(idOf(i), { accountId: i % 2 === 0 ? 'acc_one' : 'acc_two', secret }));
    }
    await tx.wallets.insert(walletRecord('wal_watching', { secret: null }));
    await tx.oracles.insert(localOracle(ORACLE, { secret: oracleKey }));
    await tx.oracles.insert(oracleRecord('ora_elsewhere'));
    for (const [i, nonces] of eventNonces.entries())
      await tx.oracleEvents.insert(oracleEventRecord(ORACLE, eventIdOf(i), { nonces }));
  });
  const key = await openServiceKey({ store, provider, randomBytes }, 'kept answers');
  answer = createTextCipher(key, randomBytes).encrypt('an answer', 'acc_one k');
});
afterEach(() => sqlite.close());

async function secretsUnder(provider: Awaited<ReturnType<typeof open>>): Promise<string[]> {
  const box = createSecretBox({ provider, randomBytes });
  const secrets = await store.read.wrappedKeys.walletSecrets('', WALLETS + 1);
  const opened = secrets.map(async ({ walletId, secret }) => box.decrypt(secret, binding(walletId)));
  return (await Promise.all(opened)).map((bytes) => Buffer.from(bytes).toString());
}

/** The next start finds a key, and all that was kept opens with it. */
async function expectAllOpens(): Promise<void> {
  const provider = await open();
  expect(await secretsUnder(provider)).toEqual(Array.from({ length: WALLETS }, (_, i) => String(secretOf(i))));
  const box = createSecretBox({ provider, randomBytes });
  const [oracle] = await store.read.wrappedKeys.oracleSecrets('', 2);
  const oracleKey = await box.decrypt(oracle?.secret as EncryptedSecret, { oracleId: ORACLE, purpose: 'oracle-key' });
  expect(Buffer.from(oracleKey).toString()).toBe('the key of an oracle');
  for (let i = 0; i < EVENTS; i += 10) {
    const event = await store.read.oracleEvents.find('acc_one', ORACLE, eventIdOf(i));
    const nonces = await box.decrypt(event?.nonces as EncryptedSecret, noncesBinding(i));
    expect(Buffer.from(nonces).toString()).toBe(`nonces ${i}`);
  }
  const key = await openServiceKey({ store, provider, randomBytes }, 'kept answers');
  expect(createTextCipher(key, randomBytes).decrypt(answer, 'acc_one k')).toBe('an answer');
}

describe('a new master key', () => {
  it('opens all that the old one did, and the old one nothing any more', async () => {
    const old = readFileSync(path);
    const seen: [number, number][] = [];
    const done = await rotate({ onProgress: (...progress) => seen.push(progress) });
    expect(done.rewrapped).toBe(WRAPPED);
    expect(seen.at(-1)).toEqual([WRAPPED, WRAPPED]);
    expect(seen).toHaveLength(WRAPPED);
    const fresh = readFileSync(path);
    expect(fresh.equals(old)).toBe(false);
    expect(masterKeyId(fresh)).toBe(done.keyId);
    await expectAllOpens();

    const oldProvider = createLocalKeyProvider({ masterKey: old, randomBytes });
    await expect(secretsUnder(oldProvider)).rejects.toThrow();
    for (const { secret, walletId } of await store.read.wrappedKeys.walletSecrets('', 3)) {
      const wrapped = Buffer.from(secret.wrappedKey, 'base64url');
      await expect(oldProvider.unwrap(wrapped, `wallet ${walletId}`)).rejects.toThrow();
    }
    await expect(openServiceKey({ store, provider: oldProvider, randomBytes }, 'kept answers')).rejects.toThrow();
    writeFileSync(path, old);
    await expect(open()).rejects.toThrow('not the one this database was made with');
  });

  it('is of owner alone, the former kept beside it; nothing else is left', async () => {
    const old = readFileSync(path);
    const { formerKeyFile } = await rotate();
    expect(readFileSync(formerKeyFile).equals(old)).toBe(true);
    expect(formerKeyFile).toBe(`${path}.${masterKeyId(old)}`);
    expect(existsSync(`${path}.next`)).toBe(false);
  });

  it('can be followed by another, and a third', async () => {
    for (let i = 0; i < 3; i++) await rotate();
    await expectAllOpens();
  });

  it('opens backups that were bound to the server under any key before it', async () => {
    const contents = {
      name: 'w',
      type: 'segwit',
      network: 'regtest',
      seed: new Uint8Array(16).fill(7),
      externalDescriptor: 'e',
      internalDescriptor: 'i',
      birthdayHeight: 0,
      nextExternalIndex: 0,
      nextInternalIndex: 0,
      labels: '',
    } as const;
    const { jwe } = await encryptBackup(contents, {
      ...{ passphrase: null, provider: await open(), randomBytes, whose: { accountId: 'acc_a' } },
    });
    await rotate();
    await rotate();
    expect(
      (await openBackup(jwe, { passphrase: null, provider: await open(), whose: { accountId: 'acc_a' } })).seed,
    ).toEqual(Buffer.alloc(16, 7));
    const stranger = createLocalKeyProvider({ masterKey: randomBytes(32), randomBytes });
    await expect(
      openBackup(jwe, { passphrase: null, provider: stranger, whose: { accountId: 'acc_a' } }),
    ).rejects.toThrow('another server');
  });

  it('opens what a process wrote that had not heard of it', async () => {
    const late = await open();
    expect(await masterKeyStands(store, late)).toBe(true);
    await rotate();
    expect(await masterKeyStands(store, late)).toBe(false);
    expect(await masterKeyStands(store, await open())).toBe(true);
    const sealed = await createSecretBox({ provider: late, randomBytes }).encrypt(secretOf(1), binding('wal_late'));
    await openServiceKey({ store, provider: late, randomBytes }, 'a late one');
    const provider = await open();
    const opened = await createSecretBox({ provider, randomBytes }).decrypt(sealed, binding('wal_late'));
    expect(String(Buffer.from(opened))).toBe(String(secretOf(1)));
    await openServiceKey({ store, provider, randomBytes }, 'a late one');
    await rotate();
    expect(await openServiceKey({ store, provider: await open(), randomBytes }, 'a late one')).toHaveLength(32);
  });

  it.each(['drafted', 'committed', 'adopted'] as const)('is whole when it ends after it was %s', async (where) => {
    const old = readFileSync(path);
    const crash = rotate({
      step: (name) => {
        if (name === where) throw new Error('killed');
      },
    });
    await expect(crash).rejects.toThrow('killed');
    await expectAllOpens();
    expect(readFileSync(path).equals(old)).toBe(where === 'drafted');
    await rotate();
    await expectAllOpens();
  });

  it.each([1, 200, 201, WALLETS])('changes nothing when it ends after %i keys', async (keys) => {
    const old = readFileSync(path);
    const crash = rotate({
      onProgress: (done) => {
        if (done === keys) throw new Error('killed');
      },
    });
    await expect(crash).rejects.toThrow('killed');
    expect(readFileSync(path).equals(old)).toBe(true);
    await expectAllOpens();
    await rotate();
    await expectAllOpens();
  });

  it('is made anew where an interrupted one left half a draft', async () => {
    writeFileSync(`${path}.next.new`, Buffer.alloc(7), { mode: 0o600 });
    await expectAllOpens();
    await rotate();
    await expectAllOpens();
  });

  it('is refused where the present one is missing or another', async () => {
    const old = readFileSync(path);
    writeFileSync(path, randomBytes(32));
    await expect(rotate()).rejects.toThrow('not the one this database was made with');
    writeFileSync(path, old);
    await expectAllOpens();
  });
});

describe('what the master key wraps', () => {
  it('is all in the registry: no setting and no column holds a wrapped key that it does not count', async () => {
    const counted = await Promise.all(Object.values(WRAPPED_KEYS).map((kind) => kind?.count(store.read) ?? 0));
    expect(counted.reduce((sum, count) => sum + count, 0)).toBe(WRAPPED);
  });
});
