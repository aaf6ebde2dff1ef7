/** Proofs that a transaction is in a block: the hashes beside its path up the merkle tree. */

import { hash256 } from '../hashes.ts';
import { ByteCursor } from './byte-cursor.ts';
import { MalformedDataError } from './malformed-data-error.ts';
import { emptyLayout, walkTransaction } from './transaction-layout.ts';

/** Of the most transactions that a block's weight can hold, at 240 weight units each (Bitcoin Core's MIN_TRANSACTION_WEIGHT). */
export const MAX_BLOCK_TRANSACTIONS = 16_666;
/** Levels above the leaves of the tallest tree. */
export const MAX_BRANCH = 15;

/**
 * `equal-siblings`: two equal hashes side by side, by which two lists of transactions have one root (CVE-2012-2459).
 * `node-is-transaction`: an inner node that is a transaction of 64 bytes, by which anything could be proved (CVE-2017-12842).
 */
export type MerkleProblem = 'equal-siblings' | 'node-is-transaction';

/** The sibling on each level, from the leaves up; hashes in internal order. `position` counts from the coinbase, 0. */
export function merkleBranch(hashes: readonly Uint8Array[], position: number): Buffer[] {
  if (position < 0 || position >= hashes.length) throw new RangeError('no transaction at this position');
  const branch: Buffer[] = [];
  let level: Buffer[] = hashes.map((hash) => Buffer.from(hash));
  for (let at = position; level.length > 1; at >>>= 1) {
    branch.push((level[at ^ 1] ?? level[at]) as Buffer);
    level = levelAbove(level);
  }
  return branch;
}

export function levelAbove(level: readonly Uint8Array[]): Buffer[] {
  const above: Buffer[] = [];
  for (let at = 0; at < level.length; at += 2) {
    const left = level[at] as Uint8Array;
    above.push(hash256(Buffer.concat([left, level[at + 1] ?? left])));
  }
  return above;
}

/** The root that a branch leads to. A problem does not stop it: the caller refuses. */
export function rootOfBranch(
  leaf: Uint8Array,
  position: number,
  branch: readonly Uint8Array[],
): { root: Buffer; problem: MerkleProblem | null } {
  let hash: Buffer = Buffer.from(leaf);
  let problem: MerkleProblem | null = null;
  let at = position;
  for (const sibling of branch) {
    const isRight = at % 2 === 1;
    const node = Buffer.concat(isRight ? [sibling, hash] : [hash, sibling]);
    // An equal sibling on the right is the last one, doubled. On the left it never is.
    if (isRight && hash.equals(sibling)) problem ??= 'equal-siblings';
    if (isTransaction(node)) problem ??= 'node-is-transaction';
    hash = hash256(node);
    at = Math.floor(at / 2);
  }
  return { root: hash, problem };
}

/** Whether 64 bytes of an inner node could be read as a whole transaction, in the form without witness that the tree hashes. */
export function isTransaction(node: Uint8Array): boolean {
  // So short, it has one input. Most nodes are told by this byte alone.
  if (node[4] !== 1) return false;
  try {
    const cursor = new ByteCursor(node);
    walkTransaction(cursor, null, emptyLayout());
    return cursor.remaining === 0;
  } catch (error) {
    if (error instanceof MalformedDataError) return false;
    throw error;
  }
}
