import type { TapLeaf, TapTree } from './script-tree.ts';

export interface WeightedLeaf extends TapLeaf {
  /** How likely it is spent by, in any unit: a finite number above 0. */
  readonly weight: number;
}

interface Node {
  readonly weight: number;
  readonly tree: TapTree;
}

/**
 * The tree with the least expected control block: the heavier a leaf, the nearer to the root (BIP341 names Huffman's construction).
 * Equal weights are taken in the order given, so that the same leaves always make the same tree.
 */
export function treeFromWeights(leaves: readonly [WeightedLeaf, ...WeightedLeaf[]]): TapTree {
  // Two queues, both ascending: branches are made in the order of their weights.
  const waiting: Node[] = leaves
    .map(({ script, leafVersion, weight }) => ({ weight, tree: { script, leafVersion } }))
    .sort((a, b) => a.weight - b.weight);
  const branches: Node[] = [];
  let nextLeaf = 0;
  let nextBranch = 0;
  const lightest = (): Node => {
    const leaf = waiting[nextLeaf];
    const branch = branches[nextBranch];
    if (leaf !== undefined && (branch === undefined || leaf.weight <= branch.weight)) {
      nextLeaf++;
      return leaf;
    }
    nextBranch++;
    return branch as Node;
  };
  for (let merges = leaves.length - 1; merges > 0; merges--) {
    const first = lightest();
    const second = lightest();
    branches.push({ weight: first.weight + second.weight, tree: [first.tree, second.tree] });
  }
  return lightest().tree;
}
