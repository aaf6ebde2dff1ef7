/** The key provider at start: finds or makes the master key, and refuses one that is not this database's. */
import { join } from 'node:path';
import type { Repositories, Store } from '../../store/store.ts';
import type { KeyProvider } from './key-provider.ts';
import { createLocalKeyProvider } from './local-key-provider.ts';
import { adoptDraft, makeMasterKey, readDraft, readMasterKey } from './master-key-file.ts';
import { FORMER_KEY_PREFIX } from './wrapped-keys.ts';

export const CHECK_SETTING = 'master_key_check';

export interface KeyProviderOptions {
  readonly store: Store;
  readonly dataDir: string;
  /** MASTER_KEY_FILE; null takes `<dataDir>/master.key`, which SQLite's first start makes. */
  readonly masterKeyFile: string | null;
  readonly randomBytes: (size: number) => Uint8Array;
}

/** Throws an Error whose message says what would be right: no key, a key others can read, or another database's key. */
export async function openKeyProvider(options: KeyProviderOptions): Promise<KeyProvider> {
  const { store, randomBytes } = options;
  const path = options.masterKeyFile ?? join(options.dataDir, 'master.key');
  const expected = await store.read.settings.get(CHECK_SETTING);
  const masterKey =
    (await draftThatTookPlace(path, expected, randomBytes)) ??
    (await readMasterKey(path)) ??
    (await missingKey(options, path, expected !== null));
  const provider = createLocalKeyProvider({ masterKey, randomBytes });
  const check = await provider.checkValue();
  const standing = expected ?? (await store.write((tx) => tx.settings.setOnce(CHECK_SETTING, check)));
  if (standing !== check) {
    throw new Error(`the master key in ${path} is not the one this database was made with: put the right file there`);
  }
  const formerKeys = await formerKeysOf(store.read, provider);
  return formerKeys.length === 0 ? provider : createLocalKeyProvider({ masterKey, formerKeys, randomBytes });
}

/** False once the master key was changed by another process: this one must be restarted with the new file. */
export async function masterKeyStands(store: Pick<Store, 'read'>, provider: KeyProvider): Promise<boolean> {
  return (await store.read.settings.get(CHECK_SETTING)) === (await provider.checkValue());
}

/** Master keys before the provider's: it wraps them, and what left the database under them still opens. */
export async function formerKeysOf(
  tables: Pick<Repositories, 'wrappedKeys'>,
  provider: KeyProvider,
): Promise<Uint8Array[]> {
  const kept = await tables.wrappedKeys.settings(FORMER_KEY_PREFIX);
  return Promise.all(
    kept.map(({ name, value }) =>
      provider.unwrap(Buffer.from(value, 'base64url'), `master key ${name.slice(FORMER_KEY_PREFIX.length)}`),
    ),
  );
}

/** The new key of a change that was interrupted between its commit and its file's new name: it gets that name now. */
async function draftThatTookPlace(
  path: string,
  expected: string | null,
  randomBytes: (size: number) => Uint8Array,
): Promise<Buffer | null> {
  const draft = expected === null ? null : await readDraft(path);
  if (draft === null) return null;
  if ((await createLocalKeyProvider({ masterKey: draft, randomBytes }).checkValue()) !== expected) return null;
  await adoptDraft(path);
  return draft;
}

async function missingKey(options: KeyProviderOptions, path: string, databaseHasOne: boolean): Promise<Buffer> {
  if (databaseHasOne) {
    throw new Error(
      `the master key file ${path} is missing, and the secrets in this database open with no other: restore it`,
    );
  }
  if (options.masterKeyFile !== null) throw new Error(`MASTER_KEY_FILE names ${path}, where there is no file`);
  if (options.store.kind === 'postgres') {
    throw new Error(
      'with PostgreSQL the master key must be given: set MASTER_KEY_FILE to a file of 32 random bytes, the same for every process (head -c 32 /dev/urandom > master.key && chmod 600 master.key)',
    );
  }
  return makeMasterKey(path, options.randomBytes);
}
