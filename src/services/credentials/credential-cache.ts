/**
 * What was read of credentials a moment ago. It spares most requests the database and forgets everything at once when any process
 * changes a credential (store.onCredentials), so that a revocation takes effect everywhere; the short life is the net below that.
 */
import { createLru } from '../../core/lru.ts';
import type { Store } from '../../store/store.ts';

const LIFE_MS = 5_000;
const SIZE = 10_000;

export interface CredentialCache<T> {
  /** undefined: not known here, load it. null: known not to be there. */
  get(key: string): T | null | undefined;
  load(key: string): Promise<T | null>;
  clear(): void;
}

export function createCredentialCache<T>(deps: {
  store: Pick<Store, 'onCredentials' | 'pollForeignCommits'>;
  clock: () => number;
  read: (key: string) => Promise<T | null>;
}): CredentialCache<T> {
  const { store, clock, read } = deps;
  const entries = createLru<string, { value: T; loadedAt: number }>(SIZE);
  let changes = 0;

  const clear = () => {
    changes++;
    entries.clear();
  };
  store.onCredentials(clear);

  function get(key: string): T | undefined {
    store.pollForeignCommits();
    const entry = entries.get(key);
    if (entry === undefined) return undefined;
    const age = clock() - entry.loadedAt;
    return age >= 0 && age < LIFE_MS ? entry.value : undefined;
  }

  return {
    get,
    async load(key) {
      const known = get(key);
      if (known !== undefined) return known;
      const changesBefore = changes;
      const value = await read(key);
      // Only what is there is kept: invented keys must not push out real ones.
      if (value === null) return null;
      // What was read before a change must not be kept after it.
      if (changes !== changesBefore) return value;
      entries.set(key, { value, loadedAt: clock() });
      return value;
    },
    clear,
  };
}
