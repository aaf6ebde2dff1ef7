/** That a transaction is in a block: the branch of the block's merkle tree, and its check against a header. */
import { hash256 } from '../hashes.ts';

/** The hashes beside the way from transaction `index` to the root; all in internal order. */
export function merkleBranch(hashes: readonly Uint8Array[], index: number): Buffer[] {
  const branch: Buffer[] = [];
  let level: Buffer[] = hashes.map((one) => Buffer.from(one));
  for (let at = index; level.length > 1; at = Math.floor(at / 2)) {
    const sibling = at % 2 === 0 ? at + 1 : at - 1;
    branch.push(level[sibling] ?? level[at]!);
    level = Array.from({ length: Math.ceil(level.length / 2) }, (_, pair) => {
      const left = level[2 * pair]!;
      return hash256(Buffer.concat([left, level[2 * pair + 1] ?? left]));
    });
  }
  return branch;
}

/** The root that a branch leads to. */
export function branchRoot(hash: Uint8Array, index: number, branch: readonly Uint8Array[]): Buffer {
  let at = index;
  let node: Buffer = Buffer.from(hash);
  for (const sibling of branch) {
    node = hash256(at % 2 === 0 ? Buffer.concat([node, sibling]) : Buffer.concat([sibling, node]));
    at = Math.floor(at / 2);
  }
  return node;
}
