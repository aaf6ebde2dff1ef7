/** A binary heap: the first by `before` is on top. */
export function createHeap<T>(before: (one: T, other: T) => boolean) {
  const items: T[] = [];
  const swapped = (one: number, other: number): boolean => {
    if (!before(items[one] as T, items[other] as T)) return false;
    [items[one], items[other]] = [items[other] as T, items[one] as T];
    return true;
  };
  return {
    get size() {
      return items.length;
    },
    top: (): T | undefined => items[0],
    push(item: T): void {
      items.push(item);
      for (let at = items.length - 1; at > 0; ) {
        const parent = (at - 1) >> 1;
        if (!swapped(at, parent)) return;
        at = parent;
      }
    },
    pop(): T | undefined {
      const [first] = items;
      const last = items.pop();
      if (items.length === 0 || last === undefined) return first;
      items[0] = last;
      for (let at = 0; ; ) {
        const left = 2 * at + 1;
        const right = left + 1;
        const child = right < items.length && before(items[right] as T, items[left] as T) ? right : left;
        if (child >= items.length || !swapped(child, at)) return first;
        at = child;
      }
    },
  };
}
