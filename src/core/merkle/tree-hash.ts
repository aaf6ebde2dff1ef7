/** The Merkle tree of RFC 6962 §2.1 over SHA-256. Leaves and nodes are hashed apart, so that a node can never be shown as a leaf. */
import { createHash, hash } from 'node:crypto';
import { inclusionPath } from './tree-ranges.ts';

const LEAF = Buffer.from([0]);
const NODE = Buffer.from([1]);

/** The root of a tree without leaves: SHA-256 of nothing. */
export const EMPTY_ROOT: Buffer = hash('sha256', '', 'buffer');

export const leafHash = (entry: Uint8Array): Buffer => createHash('sha256').update(LEAF).update(entry).digest();

export const nodeHash = (left: Uint8Array, right: Uint8Array): Buffer =>
  hash('sha256', Buffer.concat([NODE, left, right]), 'buffer');

/** The hash over complete subtrees that lie side by side, the largest first (as tree-ranges.ts lists them). Throws on none. */
export function foldSubtrees(hashes: readonly Uint8Array[]): Buffer {
  const last = hashes.at(-1);
  if (last === undefined) throw new RangeError('no subtree to fold');
  return hashes.slice(0, -1).reduceRight<Buffer>((folded, left) => nodeHash(left, folded), Buffer.from(last));
}

/**
 * A tree that grows leaf by leaf and keeps one hash per complete subtree: log2(size) of them. It begins empty, or with the hashes of the
 * complete subtrees that it is made of (one for each bit of the size that is set), the largest first.
 */
export function createGrowingTree(
  grown: { size: number; subtrees: readonly Uint8Array[] } = { size: 0, subtrees: [] },
) {
  let { size } = grown;
  const subtrees = [...grown.subtrees];
  return {
    get size() {
      return size;
    },
    append(leaf: Uint8Array) {
      let node = leaf;
      for (let rest = size; rest % 2 === 1; rest = Math.floor(rest / 2)) node = nodeHash(subtrees.pop()!, node);
      subtrees.push(node);
      size++;
    },
    /** What it is made of: what a tree that goes on from here begins with. */
    subtrees: (): readonly Uint8Array[] => subtrees,
    /** The root at the present size. */
    root: () => (size === 0 ? EMPTY_ROOT : foldSubtrees(subtrees)),
  };
}

export type GrowingTree = ReturnType<typeof createGrowingTree>;

/** The root of these leaf hashes. */
export function rootOf(leaves: readonly Uint8Array[]): Buffer {
  const tree = createGrowingTree();
  for (const leaf of leaves) tree.append(leaf);
  return tree.root();
}

/** The root that an audit path (RFC 6962 §2.1.1, nearest hash first) leads to from a leaf; null where it is not as long as it must be. */
export function rootOfInclusion(
  leaf: Uint8Array,
  { position, size }: { position: number; size: number },
  proof: readonly Uint8Array[],
): Uint8Array | null {
  if (!(position >= 0 && position < size)) return null;
  const path = inclusionPath(position, size);
  if (path.length !== proof.length) return null;
  return path.reduce<Uint8Array>(
    (node, { start }, at) => (start > position ? nodeHash(node, proof[at]!) : nodeHash(proof[at]!, node)),
    leaf,
  );
}
