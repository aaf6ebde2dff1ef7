/** Which parts of a tree a proof of RFC 6962 consists of, and of which complete subtrees each part is made. Whoever holds the hashes looks them up. */

/** Leaves `start` (inclusive) to `end` (exclusive). */
export interface LeafRange {
  readonly start: number;
  readonly end: number;
}

/** A complete subtree: leaves index * 2^level to (index + 1) * 2^level. */
export interface Subtree {
  readonly level: number;
  readonly index: number;
}

/** The audit path of a leaf (§2.1.1), nearest part first. Throws RangeError where the tree has no such leaf. */
export function inclusionPath(leaf: number, size: number): LeafRange[] {
  if (!(leaf >= 0 && leaf < size)) throw new RangeError(`a tree of ${size} leaves has no leaf ${leaf}`);
  return pathWithin(leaf, { start: 0, end: size });
}

/** What shows that the tree of `first` leaves is the beginning of that of `second` (§2.1.2). Throws RangeError unless 0 < first <= second. */
export function consistencyPath(first: number, second: number): LeafRange[] {
  if (!(first > 0 && first <= second)) throw new RangeError(`a tree of ${second} leaves has no beginning of ${first}`);
  return subproof(first, { start: 0, end: second }, true);
}

/** A part of a proof (or a whole tree) as complete subtrees, the largest first; foldSubtrees makes its hash of theirs. */
export function subtreesOf({ start, end }: LeafRange): Subtree[] {
  const subtrees: Subtree[] = [];
  for (let at = start; at < end; ) {
    const level = Math.floor(Math.log2(end - at));
    subtrees.push({ level, index: at / 2 ** level });
    at += 2 ** level;
  }
  return subtrees;
}

function pathWithin(leaf: number, range: LeafRange): LeafRange[] {
  if (range.end - range.start === 1) return [];
  const { left, right } = split(range);
  return leaf < left.end ? [...pathWithin(leaf, left), right] : [...pathWithin(leaf, right), left];
}

/** `whole`: the part is the beginning that the verifier knows the root of. */
function subproof(first: number, range: LeafRange, whole: boolean): LeafRange[] {
  if (first === range.end) return whole ? [] : [range];
  const { left, right } = split(range);
  return first <= left.end ? [...subproof(first, left, whole), right] : [...subproof(first, right, false), left];
}

/** At the largest power of two below the range's size. */
function split({ start, end }: LeafRange): { left: LeafRange; right: LeafRange } {
  const middle = start + 2 ** (Math.ceil(Math.log2(end - start)) - 1);
  return { left: { start, end: middle }, right: { start: middle, end } };
}
