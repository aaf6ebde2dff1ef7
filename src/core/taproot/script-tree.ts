import { DomainError } from '../errors.ts';
import { TAPSCRIPT_LEAF_VERSION, tapBranchHash, tapLeafHash } from './leaf-hash.ts';

/** A control block has room for 128 sibling hashes (BIP341). */
export const MAX_TREE_DEPTH = 128;
/** The first byte of an annex: a leaf of this version could not be told from one. */
const ANNEX_TAG = 0x50;

export interface TapLeaf {
  readonly script: Uint8Array;
  readonly leafVersion: number;
}

/** A leaf, or the two halves of a branch. */
export type TapTree = TapLeaf | readonly [TapTree, TapTree];

export interface PlacedLeaf extends TapLeaf {
  readonly leafHash: Buffer;
  /** Hashes of the siblings from the leaf up to the root; its length is the leaf's depth. */
  readonly path: readonly Buffer[];
}

export const isLeafVersion = (version: number): boolean =>
  Number.isInteger(version) && version >= 0 && version <= 0xfe && version % 2 === 0 && version !== ANNEX_TAG;

export const tapLeaf = (script: Uint8Array, leafVersion: number = TAPSCRIPT_LEAF_VERSION): TapLeaf => {
  if (isLeafVersion(leafVersion)) return { script, leafVersion };
  throw new DomainError('invalid_script', 'a leaf version is an even number from 0 to 254, and not 80 (0x50)');
};

/**
 * The root of a tree, and its leaves from left to right with their paths.
 * Throws `invalid_script` where a leaf is deeper than 128.
 */
export function placeLeaves(tree: TapTree): { merkleRoot: Buffer; leaves: readonly PlacedLeaf[] } {
  const { hash, leaves } = place(tree, 0);
  return { merkleRoot: hash, leaves };
}

interface Growing extends TapLeaf {
  readonly leafHash: Buffer;
  readonly path: Buffer[];
}

function place(tree: TapTree, depth: number): { hash: Buffer; leaves: Growing[] } {
  if (depth > MAX_TREE_DEPTH) {
    throw new DomainError('invalid_script', `a leaf of a script tree is at most ${MAX_TREE_DEPTH} branches deep`);
  }
  if (!isBranch(tree)) {
    const leafHash = tapLeafHash(tree.script, tree.leafVersion);
    return { hash: leafHash, leaves: [{ ...tree, leafHash, path: [] }] };
  }
  const left = place(tree[0], depth + 1);
  const right = place(tree[1], depth + 1);
  for (const { path } of left.leaves) path.push(right.hash);
  for (const { path } of right.leaves) path.push(left.hash);
  return { hash: tapBranchHash(left.hash, right.hash), leaves: [...left.leaves, ...right.leaves] };
}

export const isBranch = (tree: TapTree): tree is readonly [TapTree, TapTree] => Array.isArray(tree);
