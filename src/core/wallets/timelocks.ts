/** What the cheapest spend of a descriptor waits for, where every spend of it waits for something (miniscript's older and after). */
import { DomainError } from '../errors.ts';
import type { Network } from '../network.ts';
import { decodeMiniscript } from '../scripts/miniscript/decode-miniscript.ts';
import type { Miniscript } from '../scripts/miniscript/miniscript.ts';
import { satisfyMiniscript } from '../scripts/miniscript/satisfy-miniscript.ts';
import { expandDescriptor, NOBODYS_KEY, tapLeavesOf } from './descriptor-library.ts';

export interface Timelocks {
  /** BIP68: blocks that every coin must have been confirmed for; 0 where there is a spend without. */
  readonly olderBlocks: number;
  /** BIP65: the block height from which on it can be spent; 0 where there is a spend without. */
  readonly afterHeight: number;
}

const NONE: Timelocks = { olderBlocks: 0, afterHeight: 0 };
const SEQUENCE_TYPE = 0x00400000;
const SEQUENCE_MASK = 0xffff;
const LOCKTIME_THRESHOLD = 500_000_000;
const SIGNATURE = new Uint8Array(64);
const KEY_OR_PREIMAGE = new Uint8Array(32);

/**
 * Chosen for the least waiting: a path without locks where there is one, else the lowest height, then the fewest blocks. Throws
 * `signing_unavailable` where every spend waits for a time (not a height): payments know heights.
 */
export function timelocksOf(descriptor: string, network: Network): Timelocks {
  if (!/\b(older|after)\(/.test(descriptor)) return NONE;
  const scripts = miniscriptsOf(descriptor, network);
  // What is not understood is not waited for: whoever signs knows.
  if (scripts.length === 0 || scripts.includes(null)) return NONE;
  const heights = valuesOf(descriptor, 'after').filter((value) => value < LOCKTIME_THRESHOLD);
  const blocks = valuesOf(descriptor, 'older')
    .filter((value) => !(value & SEQUENCE_TYPE))
    .map((value) => value & SEQUENCE_MASK);
  const within = (afterHeight: number, olderBlocks: number): boolean =>
    scripts.some((script) => isSpent(script as Miniscript, afterHeight, olderBlocks));
  // More waiting never takes a spend away, so that one lock is looked for after the other.
  const afterHeight = heights.find((height) => within(height, SEQUENCE_MASK));
  const olderBlocks = afterHeight === undefined ? undefined : blocks.find((count) => within(afterHeight, count));
  if (afterHeight !== undefined && olderBlocks !== undefined) return { olderBlocks, afterHeight };
  throw new DomainError(
    'signing_unavailable',
    'every spend of this wallet waits for a time: payments are made by block heights only; spend it with a PSBT of your own',
    { field: 'wallet_id' },
  );
}

/** Numbers of a fragment in the descriptor, ascending, and 0 before them. */
const valuesOf = (descriptor: string, fragment: 'older' | 'after'): number[] =>
  [
    0,
    ...[...descriptor.matchAll(new RegExp(`\\b${fragment}\\((\\d{1,10})\\)`, 'g'))].map(([, value]) => Number(value)),
  ].sort((a, b) => a - b);

/** Whether everybody together can spend it, in a way that nobody else can change, having waited so long. */
const isSpent = (script: Miniscript, afterHeight: number, olderBlocks: number): boolean =>
  satisfyMiniscript(script, {
    signature: () => SIGNATURE,
    keyOf: () => KEY_OR_PREIMAGE,
    preimage: () => KEY_OR_PREIMAGE,
    older: (value) => !(value & SEQUENCE_TYPE) && (value & SEQUENCE_MASK) <= olderBlocks,
    after: (value) => value < LOCKTIME_THRESHOLD && value <= afterHeight,
  }) !== null;

/** Of each script that may be spent by; null for one that is no miniscript. None where no script is needed. */
function miniscriptsOf(descriptor: string, network: Network): (Miniscript | null)[] {
  const { isTaproot, tapTreeInfo, witnessScript } = expandDescriptor(descriptor, 0, network);
  if (isTaproot) {
    // Whoever has the internal key needs no script.
    if (!tapTreeInfo || !descriptor.startsWith(`tr(${NOBODYS_KEY},`)) return [];
    return tapLeavesOf(tapTreeInfo).map((leaf) => decodeMiniscript(leaf.tapScript, 'tapscript'));
  }
  return witnessScript ? [decodeMiniscript(witnessScript, 'segwit-v0')] : [];
}
