/** The key provider at start: finds or makes the master key, and refuses one that is not this database's. */
import { join } from 'node:path';
import type { Store } from '../../store/store.ts';
import type { KeyProvider } from './key-provider.ts';
import { createLocalKeyProvider } from './local-key-provider.ts';
import { makeMasterKey, readMasterKey } from './master-key-file.ts';

const CHECK_SETTING = 'master_key_check';

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
  const masterKey = (await readMasterKey(path)) ?? (await missingKey(options, path, expected !== null));
  const provider = createLocalKeyProvider({ masterKey, randomBytes });
  const check = await provider.checkValue();
  const standing = expected ?? (await store.write((tx) => tx.settings.setOnce(CHECK_SETTING, check)));
  if (standing !== check) {
    throw new Error(`the master key in ${path} is not the one this database was made with: put the right file there`);
  }
  return provider;
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
