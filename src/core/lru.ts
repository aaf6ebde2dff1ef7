/** A cache of at most so many values: of more, the one that was used longest ago goes. */
export interface Lru<Key, Value> {
  /** undefined where it is not kept. */
  get(key: Key): Value | undefined;
  /** Answers the value. */
  set(key: Key, value: Value): Value;
  delete(key: Key): void;
  clear(): void;
}

export function createLru<Key, Value extends NonNullable<unknown>>(most: number): Lru<Key, Value> {
  const kept = new Map<Key, Value>();
  function set(key: Key, value: Value): Value {
    kept.delete(key);
    kept.set(key, value);
    if (kept.size > most) kept.delete(kept.keys().next().value as Key);
    return value;
  }
  return {
    get(key) {
      const value = kept.get(key);
      return value === undefined ? undefined : set(key, value);
    },
    set,
    delete: (key) => void kept.delete(key),
    clear: () => kept.clear(),
  };
}
