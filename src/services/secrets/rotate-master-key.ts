/**
 * A new master key for everything that the present one wraps. The new key is on disk beside the old one before anything changes; one
 * transaction wraps every data key anew and changes the check value with them; only then does the new file take the old one's name. Whatever
 * the moment at which this ends, the check value says which of the two files is the database's, and the next start takes that one.
 * Where the file cannot be replaced (a secret mounted by Docker or Kubernetes), the new key is given in another file, and no file changes.
 */
import { DomainError } from '../../core/errors.ts';
import type { Store } from '../../store/store.ts';
import { type RecordChange, recordsNothing } from '../audit/record-change.ts';
import { createLocalKeyProvider, masterKeyId } from './local-key-provider.ts';
import { adoptDraft, draftMasterKey, dropDraft, keepFormer, readMasterKey } from './master-key-file.ts';
import { CHECK_SETTING, formerKeysOf, openKeyProvider } from './open-key-provider.ts';
import { FORMER_KEY_PREFIX, WRAPPED_KEYS } from './wrapped-keys.ts';

export interface MasterKeyRotation {
  /** What the new master key is called. */
  readonly keyId: string;
  /** Data keys that were wrapped anew. */
  readonly rewrapped: number;
  /** Where the new key is: what MASTER_KEY_FILE must name from now on. */
  readonly masterKeyFile: string;
  /** Where the former key was kept. */
  readonly formerKeyFile: string;
}

/**
 * Nobody else may open a key provider on the database meanwhile: the caller holds the lock for it. `step` is called after each step: a test ends there.
 * Throws an Error where the present key cannot be read or is not the database's.
 */
export async function rotateMasterKey(deps: {
  store: Store;
  /** The master key's file. */
  path: string;
  /** A file that holds the new key already; absent: a new key takes the place of the one at `path`. */
  to?: string;
  randomBytes: (size: number) => Uint8Array;
  onProgress?: (done: number, total: number) => void;
  step?: (name: 'drafted' | 'committed' | 'adopted') => void;
  /** In the transaction of the change. Absent: nothing is recorded. */
  recordChange?: RecordChange;
}): Promise<MasterKeyRotation> {
  const { store, path, to, randomBytes, onProgress = () => {}, step = () => {}, recordChange = recordsNothing } = deps;
  const given = to === undefined ? null : await givenKey(store, to, randomBytes);
  // Also takes up a change that was interrupted after its commit.
  await openKeyProvider({ store, dataDir: '', masterKeyFile: path, randomBytes });
  const present = await readMasterKey(path);
  if (present === null) throw new Error(`the master key file ${path} is missing`);
  const formerKeyFile = given === null ? await keepFormer(path, masterKeyId(present)) : path;
  if (given === null) await dropDraft(path);
  const fresh = given ?? (await draftMasterKey(path, randomBytes));
  step('drafted');
  try {
    const rewrapped = await commit(store, { present, fresh, randomBytes, onProgress, recordChange });
    step('committed');
    if (given === null) await adoptDraft(path);
    step('adopted');
    return { keyId: masterKeyId(fresh), rewrapped, masterKeyFile: to ?? path, formerKeyFile };
  } finally {
    present.fill(0);
    fresh.fill(0);
  }
}

/** Throws an Error where there is none, or it is the database's already: so that a rotation is not run twice by mistake. */
async function givenKey(store: Store, path: string, randomBytes: (size: number) => Uint8Array): Promise<Buffer> {
  const key = await readMasterKey(path);
  if (key === null) throw new Error(`there is no file ${path}: make it with openssl rand -out ${path} 32, mode 0600`);
  const check = await createLocalKeyProvider({ masterKey: key, randomBytes }).checkValue();
  if ((await store.read.settings.get(CHECK_SETTING)) !== check) return key;
  key.fill(0);
  throw new Error(`the key in ${path} is this database's already: set MASTER_KEY_FILE to it`);
}

async function commit(
  store: Store,
  parts: {
    present: Uint8Array;
    fresh: Uint8Array;
    randomBytes: (size: number) => Uint8Array;
    onProgress: (done: number, total: number) => void;
    recordChange: RecordChange;
  },
): Promise<number> {
  const { present, fresh, randomBytes, onProgress, recordChange } = parts;
  const old = createLocalKeyProvider({ masterKey: present, randomBytes });
  const next = createLocalKeyProvider({ masterKey: fresh, randomBytes });
  const check = await old.checkValue();
  return store.write(async (tx) => {
    if ((await tx.settings.get(CHECK_SETTING)) !== check) {
      throw new DomainError('state_conflict', 'the master key was changed meanwhile');
    }
    const withFormer = createLocalKeyProvider({
      masterKey: present,
      formerKeys: await formerKeysOf(tx, old),
      randomBytes,
    });
    const kinds = Object.values(WRAPPED_KEYS).filter((kind) => kind !== null);
    let total = 0;
    for (const kind of kinds) total += await kind.count(tx);
    let done = 0;
    const progress = () => onProgress(++done, total);
    for (const kind of kinds) {
      await kind.rewrapAll(
        tx,
        async (wrapped, context) => {
          const dataKey = await withFormer.unwrap(wrapped, context);
          try {
            return await next.wrap(dataKey, context);
          } finally {
            dataKey.fill(0);
          }
        },
        next.keyId,
        progress,
      );
    }
    const former = await next.wrap(present, `master key ${old.keyId}`);
    await tx.settings.set(FORMER_KEY_PREFIX + old.keyId, Buffer.from(former).toString('base64url'));
    await tx.settings.set(CHECK_SETTING, await next.checkValue());
    await recordChange(tx, { operation: 'master-key.rotate', accountId: null, target: next.keyId });
    return done;
  });
}
