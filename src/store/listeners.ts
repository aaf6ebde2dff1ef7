/** Who wants to be called. The same function may listen twice, and each stops by itself. */
export function createListeners<Told extends unknown[] = []>(): {
  add(listener: (...told: Told) => void): () => void;
  call(...told: Told): void;
  clear(): void;
} {
  const listeners = new Set<(...told: Told) => void>();
  return {
    add(listener) {
      const own = (...told: Told) => listener(...told);
      listeners.add(own);
      return () => listeners.delete(own);
    },
    call(...told) {
      for (const listener of listeners) listener(...told);
    },
    clear: () => listeners.clear(),
  };
}
