/**
 * One way to satisfy an expression or to make it fail, as Bitcoin Core keeps it (script/miniscript.h, InputStack): the items of the
 * stack as a tree, so that putting two together costs nothing.
 */
export interface Satisfaction {
  /** Bytes of the items, each with its length. */
  readonly size: number;
  readonly hasSignature: boolean;
  /** Somebody without our keys could make another one of it. */
  readonly malleable: boolean;
  readonly items: Items;
}

type Items = Uint8Array | null | readonly [Items, Items];

/** null: there is none. */
export type Way = Satisfaction | null;

export const EMPTY: Satisfaction = { size: 0, hasSignature: false, malleable: false, items: null };

const itemSize = (length: number): number => length + (length < 0xfd ? 1 : 3);

export const item = (bytes: Uint8Array): Satisfaction => ({ ...EMPTY, size: itemSize(bytes.length), items: bytes });

export const ZERO = item(new Uint8Array(0));
export const ONE = item(Uint8Array.of(1));
/** In place of a preimage that is not to match; anybody could put other bytes. */
export const WRONG_PREIMAGE: Satisfaction = { ...item(new Uint8Array(32)), malleable: true };

export const signatureItem = (bytes: Uint8Array): Satisfaction => ({ ...item(bytes), hasSignature: true });

export const malleable = (way: Way): Way => way && { ...way, malleable: true };

/** Both, the first one deeper in the stack. */
export function both(first: Way, second: Way): Way {
  if (first === null || second === null) return null;
  return {
    size: first.size + second.size,
    hasSignature: first.hasSignature || second.hasSignature,
    malleable: first.malleable || second.malleable,
    items: [first.items, second.items],
  };
}

/**
 * The better one. What needs no signature is taken before what needs one, since anybody could put it in its place; of two that need one
 * the one that nobody can change; then the smaller.
 */
export function either(first: Way, second: Way): Way {
  if (first === null) return second;
  if (second === null) return first;
  if (!first.hasSignature && second.hasSignature) return first;
  if (!second.hasSignature && first.hasSignature) return second;
  if (!first.hasSignature) return malleable(first.size <= second.size ? first : second);
  if (first.malleable !== second.malleable) return first.malleable ? second : first;
  return first.size <= second.size ? first : second;
}

/** The items from the bottom of the stack to its top. */
export function stackOf({ items }: Satisfaction): Uint8Array[] {
  const stack: Uint8Array[] = [];
  const waiting: Items[] = [items];
  while (waiting.length > 0) {
    const next = waiting.pop() as Items;
    if (next === null) continue;
    if (next instanceof Uint8Array) stack.push(next);
    else waiting.push(next[1], next[0]);
  }
  return stack;
}
