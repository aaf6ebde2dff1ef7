/** Checks proofs without the tree, as RFC 9162 §2.1.3.2 and §2.1.4.2 say. */
import { sameBytes } from '../../../src/core/bytes.ts';
import { nodeHash } from '../../../src/core/merkle/tree-hash.ts';

const isOdd = (value: number): boolean => value % 2 === 1;
const half = (value: number): number => Math.floor(value / 2);

export interface InclusionClaim {
  /** Hash of the leaf (leafHash). */
  readonly leaf: Uint8Array;
  readonly position: number;
  readonly size: number;
  readonly root: Uint8Array;
  readonly proof: readonly Uint8Array[];
}

/** Whether the proof shows that the leaf stands at `position` in the tree of `size` leaves with that root. */
export function verifyInclusion({ leaf, position, size, root, proof }: InclusionClaim): boolean {
  if (!(position >= 0 && position < size)) return false;
  let node = position;
  let last = size - 1;
  let hash = leaf;
  for (const sibling of proof) {
    if (last === 0) return false;
    if (isOdd(node) || node === last) {
      hash = nodeHash(sibling, hash);
      while (!isOdd(node) && node !== 0) {
        node = half(node);
        last = half(last);
      }
    } else {
      hash = nodeHash(hash, sibling);
    }
    node = half(node);
    last = half(last);
  }
  return last === 0 && sameBytes(hash, root);
}

export interface ConsistencyClaim {
  readonly first: { readonly size: number; readonly root: Uint8Array };
  readonly second: { readonly size: number; readonly root: Uint8Array };
  readonly proof: readonly Uint8Array[];
}

/** Whether the proof shows that the second tree begins with the first. Of an empty tree nothing can be shown: false. */
export function verifyConsistency({ first, second, proof }: ConsistencyClaim): boolean {
  if (!(first.size > 0 && first.size <= second.size)) return false;
  if (first.size === second.size) return proof.length === 0 && sameBytes(first.root, second.root);
  const isComplete = Number.isInteger(Math.log2(first.size));
  const [start, ...rest] = isComplete ? [first.root, ...proof] : proof;
  if (start === undefined) return false;
  let node = first.size - 1;
  let last = second.size - 1;
  while (isOdd(node)) {
    node = half(node);
    last = half(last);
  }
  let firstHash = start;
  let secondHash = start;
  for (const sibling of rest) {
    if (last === 0) return false;
    if (isOdd(node) || node === last) {
      firstHash = nodeHash(sibling, firstHash);
      secondHash = nodeHash(sibling, secondHash);
      while (!isOdd(node) && node !== 0) {
        node = half(node);
        last = half(last);
      }
    } else {
      secondHash = nodeHash(secondHash, sibling);
    }
    node = half(node);
    last = half(last);
  }
  return last === 0 && sameBytes(firstHash, first.root) && sameBytes(secondHash, second.root);
}
