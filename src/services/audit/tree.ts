/** Roots and proofs of a log from what the database keeps of its tree: leaf hashes, and inner nodes at every eighth level. */
import { EMPTY_ROOT, foldSubtrees, rootOf } from '../../core/merkle/tree-hash.ts';
import {
  consistencyPath,
  inclusionPath,
  type LeafRange,
  type Subtree,
  subtreesOf,
} from '../../core/merkle/tree-ranges.ts';
import type { Repositories } from '../../store/store.ts';
import { NODE_LEVELS } from './seal-batch.ts';

type Read = Pick<Repositories, 'audit'>;

/** Each needs at most 255 rows for every eight levels of the tree. All throw where the log is shorter than said. */
export async function rootAt(read: Read, logId: string, size: number): Promise<Uint8Array> {
  return size === 0 ? EMPTY_ROOT : rangeHash(read, logId, { start: 0, end: size });
}

/** Hashes of the complete subtrees that the first `size` leaves are made of, the largest first. */
export const subtreesBefore = (read: Read, logId: string, size: number): Promise<Uint8Array[]> =>
  Promise.all(subtreesOf({ start: 0, end: size }).map((subtree) => subtreeHash(read, logId, subtree)));

export const inclusionProof = (read: Read, logId: string, position: number, size: number): Promise<Uint8Array[]> =>
  hashesOf(read, logId, inclusionPath(position, size));

export const consistencyProof = (read: Read, logId: string, first: number, second: number): Promise<Uint8Array[]> =>
  hashesOf(read, logId, consistencyPath(first, second));

const hashesOf = (read: Read, logId: string, ranges: readonly LeafRange[]): Promise<Uint8Array[]> =>
  Promise.all(ranges.map((range) => rangeHash(read, logId, range)));

async function rangeHash(read: Read, logId: string, range: LeafRange): Promise<Uint8Array> {
  return foldSubtrees(await Promise.all(subtreesOf(range).map((subtree) => subtreeHash(read, logId, subtree))));
}

async function subtreeHash(read: Read, logId: string, { level, index }: Subtree): Promise<Uint8Array> {
  const above = level % NODE_LEVELS;
  const width = 2 ** above;
  const nodes = await read.audit.nodes(logId, level - above, index * width, width);
  if (nodes.length !== width) throw new Error(`the audit log ${logId} lacks nodes of level ${level - above}`);
  return rootOf(nodes);
}
