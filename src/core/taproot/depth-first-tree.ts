import { DomainError } from '../errors.ts';
import { MAX_TREE_DEPTH, type TapLeaf, type TapTree } from './script-tree.ts';

export interface LeafAtDepth extends TapLeaf {
  /** Branches above it. */
  readonly depth: number;
}

/**
 * The tree whose leaves, from left to right, are at these depths: as PSBTs write it (BIP371, PSBT_OUT_TAP_TREE).
 * Throws `invalid_script` where no binary tree has them so.
 */
export function treeFromDepths(leaves: readonly LeafAtDepth[]): TapTree {
  const open: { depth: number; tree: TapTree }[] = [];
  for (const { script, leafVersion, depth } of leaves) {
    if (depth > MAX_TREE_DEPTH) {
      throw new DomainError('invalid_script', `a leaf of a script tree is at most ${MAX_TREE_DEPTH} branches deep`);
    }
    let right: { depth: number; tree: TapTree } = { depth, tree: { script, leafVersion } };
    // Two of one depth make a branch of the depth above.
    for (let left = open.at(-1); left?.depth === right.depth && right.depth > 0; left = open.at(-1)) {
      open.pop();
      right = { depth: right.depth - 1, tree: [left.tree, right.tree] };
    }
    open.push(right);
  }
  const [whole] = open;
  if (whole !== undefined && whole.depth === 0 && open.length === 1) return whole.tree;
  throw new DomainError('invalid_script', 'leaves of these depths, in this order, make no binary tree');
}
