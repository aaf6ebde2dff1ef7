/**
 * A Merkle-sum tree of liabilities: each node is a hash and the sum of the balances below it. Its shape is that of RFC 6962 §2.1: where a
 * level has an odd number of nodes, the last one moves up as it is, so that no two lists of leaves have one root (CVE-2012-2459). All
 * hashes are BIP340's tagged SHA-256, with another tag for leaves, inner nodes and the root.
 */
import { MAX_SATS } from '../amount.ts';
import { ByteWriter } from '../blocks/byte-writer.ts';
import { taggedHash } from '../hashes.ts';
import { ReservesRefused } from './reserves-refused.ts';

const leafTag = taggedHash('ashlar/liabilities/leaf');
const nodeTag = taggedHash('ashlar/liabilities/node');
const rootTag = taggedHash('ashlar/liabilities/root');

export interface SumNode {
  /** 32 bytes. */
  readonly hash: Uint8Array;
  readonly sumSats: bigint;
}

export interface LiabilityLeaf {
  /** Place among the leaves, from 0. Part of the hash, so that a leaf proves one place only. */
  readonly index: number;
  readonly customerId: string;
  readonly balanceSats: bigint;
  /** 32 random bytes, which keep neighbours from guessing whose leaf it is. */
  readonly salt: Uint8Array;
}

export interface SumRoot {
  /** 32 bytes, over the hash at the top, the total and the number of leaves. */
  readonly root: Buffer;
  readonly totalSats: bigint;
  readonly count: number;
}

/** From the leaves up to the one node at the top. */
export type SumTree = readonly (readonly SumNode[])[];

/** index (4 bytes), balance (8 bytes), both little-endian, salt, then the id in UTF-8. */
export function leafNode({ index, customerId, balanceSats, salt }: LiabilityLeaf): SumNode {
  const fixed = new ByteWriter(44).uint32(index).int64(inRange(balanceSats)).bytes(salt).done();
  return { hash: leafTag(fixed, Buffer.from(customerId, 'utf8')), sumSats: balanceSats };
}

/** left hash, left sum (8 bytes), right hash, right sum. Throws where a sum is negative or more than all bitcoin. */
function parentOf(left: SumNode, right: SumNode): SumNode {
  const bytes = new ByteWriter(80)
    .bytes(left.hash)
    .int64(inRange(left.sumSats))
    .bytes(right.hash)
    .int64(inRange(right.sumSats))
    .done();
  return { hash: nodeTag(bytes), sumSats: inRange(left.sumSats + right.sumSats) };
}

/** number of leaves (4 bytes), total (8 bytes), the top's hash. */
export function rootOfTop(top: SumNode, count: number): SumRoot {
  const bytes = new ByteWriter(44).uint32(count).int64(inRange(top.sumSats)).bytes(top.hash).done();
  return { root: rootTag(bytes), totalSats: top.sumSats, count };
}

/** `bottom`: at least one node. Nodes of any one level will do, as long as only the last of them may have too few leaves. */
export function growTree(bottom: readonly SumNode[]): SumTree {
  const levels = [bottom];
  for (let level = bottom; level.length > 1; levels.push(level)) {
    const below = level;
    level = Array.from({ length: (below.length + 1) >> 1 }, (_, at) => {
      const [left, right] = [below[2 * at]!, below[2 * at + 1]];
      return right === undefined ? left : parentOf(left, right);
    });
  }
  return levels;
}

export const topOf = (tree: SumTree): SumNode => tree.at(-1)![0]!;

/** The siblings from a node of the lowest level to the top; none where a node moves up as it is. */
export function pathOf(tree: SumTree, index: number): SumNode[] {
  return tree.slice(0, -1).flatMap((level, height) => level[(index >>> height) ^ 1] ?? []);
}

/** A tree as it crosses between threads: all levels one after the other, from the leaves up. */
export interface PackedTree {
  readonly hashes: Uint8Array;
  readonly sums: BigInt64Array;
  readonly count: number;
}

export function packTree(tree: SumTree): PackedTree {
  const nodes = tree.flat();
  const sums = BigInt64Array.from(nodes, ({ sumSats }) => sumSats);
  return { hashes: Uint8Array.from(Buffer.concat(nodes.map(({ hash }) => hash))), sums, count: tree[0]!.length };
}

const packedNode = ({ hashes, sums }: PackedTree, at: number): SumNode => ({
  hash: hashes.subarray(at * 32, at * 32 + 32),
  sumSats: sums[at]!,
});
/** The balance of a leaf. */
export const packedBalance = ({ sums }: PackedTree, index: number): bigint => sums[index]!;
/** As pathOf. */
export function packedPath(tree: PackedTree, index: number): SumNode[] {
  const path: SumNode[] = [];
  for (let [at, width, below] = [index, tree.count, 0]; width > 1; at >>>= 1, below += width, width = (width + 1) >>> 1)
    if ((at ^ 1) < width) path.push(packedNode(tree, below + (at ^ 1)));
  return path;
}

/** What leaf and siblings lead to in a tree of `count` leaves. Throws ReservesRefused where they fit no such tree. */
export function rootOfPath(leaf: LiabilityLeaf, path: readonly SumNode[], count: number): SumRoot {
  if (leaf.index >= count) throw new ReservesRefused(`there is no leaf ${leaf.index} among ${count}`, 'index');
  let node = leafNode(leaf);
  let used = 0;
  for (let at = leaf.index, width = count; width > 1; at >>>= 1, width = (width + 1) >>> 1) {
    if ((at ^ 1) >= width) continue;
    const sibling = path[used++];
    if (sibling === undefined) throw new ReservesRefused(`a leaf among ${count} has more siblings`, 'path');
    node = at % 2 === 0 ? parentOf(node, sibling) : parentOf(sibling, node);
  }
  if (used < path.length) throw new ReservesRefused(`leaf ${leaf.index} among ${count} has ${used} siblings`, 'path');
  return rootOfTop(node, count);
}

function inRange(sats: bigint): bigint {
  if (sats >= 0n && sats <= MAX_SATS) return sats;
  const problem = sats < 0n ? 'is negative' : 'is more than 21,000,000 BTC';
  throw new ReservesRefused(`a balance or sum of ${sats} satoshis ${problem}`, 'path');
}
