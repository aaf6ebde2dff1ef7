/** Who wants to be called. The same function may listen twice, and each stops by itself. */
export function createListeners(): { add(listener: () => void): () => void; call(): void; clear(): void } {
  const listeners = new Set<() => void>();
  return {
    add(listener) {
      const own = () => listener();
      listeners.add(own);
      return () => listeners.delete(own);
    },
    call() {
      for (const listener of listeners) listener();
    },
    clear: () => listeners.clear(),
  };
}
