/** What the cheapest spend of a descriptor waits for, where every spend of it waits for something (miniscript's older and after). */
import { satisfier } from '@bitcoinerlab/miniscript';
import { DomainError } from '../errors.ts';
import type { Network } from '../network.ts';
import { expandDescriptor, NOBODYS_KEY, tapLeavesOf } from './descriptor-library.ts';

export interface Timelocks {
  /** BIP68: blocks that every coin must have been confirmed for; 0 where there is a spend without. */
  readonly olderBlocks: number;
  /** BIP65: the block height from which on it can be spent; 0 where there is a spend without. */
  readonly afterHeight: number;
}

const NONE: Timelocks = { olderBlocks: 0, afterHeight: 0 };
const SEQUENCE_TYPE = 0x00400000;
const LOCKTIME_THRESHOLD = 500_000_000;

/**
 * Chosen for the least waiting: a path without locks where there is one, else the lowest height, then the fewest blocks. Throws
 * `signing_unavailable` where every spend waits for a time (not a height): payments know heights.
 */
export function timelocksOf(descriptor: string, network: Network): Timelocks {
  if (!/\b(older|after)\(/.test(descriptor)) return NONE;
  const paths = pathsOf(descriptor, network);
  if (paths.length === 0 || paths.some(({ nSequence, nLockTime }) => !nSequence && !nLockTime)) return NONE;
  const byHeight = paths
    .filter(({ nSequence = 0, nLockTime = 0 }) => !(nSequence & SEQUENCE_TYPE) && nLockTime < LOCKTIME_THRESHOLD)
    .map(({ nSequence = 0, nLockTime = 0 }) => ({ olderBlocks: nSequence & 0xffff, afterHeight: nLockTime }))
    .sort((a, b) => a.afterHeight - b.afterHeight || a.olderBlocks - b.olderBlocks);
  if (byHeight[0]) return byHeight[0];
  throw new DomainError(
    'signing_unavailable',
    'every spend of this wallet waits for a time: payments are made by block heights only; spend it with a PSBT of your own',
    { field: 'wallet_id' },
  );
}

interface Path {
  readonly nSequence?: number;
  readonly nLockTime?: number;
}

/** Satisfactions that nobody can change; none where they cannot be listed. */
function pathsOf(descriptor: string, network: Network): Path[] {
  const expanded = expandDescriptor(descriptor, 0, network);
  // Whoever has the internal key needs no script.
  if (expanded.isTaproot && !descriptor.startsWith(`tr(${NOBODYS_KEY},`)) return [];
  const miniscripts = expanded.tapTreeInfo
    ? tapLeavesOf(expanded.tapTreeInfo).map((leaf) => leaf.expandedMiniscript)
    : [expanded.expandedMiniscript];
  const tapscript = expanded.isTaproot ?? false;
  return miniscripts.flatMap((miniscript) => {
    if (!miniscript) return [{}];
    try {
      return satisfier(miniscript, { tapscript }).nonMalleableSats;
    } catch {
      return [];
    }
  });
}
