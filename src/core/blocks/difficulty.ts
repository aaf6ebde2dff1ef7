/** What bits a block must state (Bitcoin Core's src/pow.cpp GetNextWorkRequired; BIP94 on testnet4). */
import type { Network } from '../network.ts';
import { decodeCompact, encodeCompact, POW_LIMIT } from './proof-of-work.ts';

export const RETARGET_INTERVAL = 2016;
const TIMESPAN = 14 * 24 * 60 * 60;
/** Seconds after which a block may be of the least difficulty, where the network lets it. */
const SLOW_BLOCK = 2 * 600;

interface Rules {
  /** A block later than 20 minutes after its parent may state the easiest bits. */
  readonly minimumAfterDelay: boolean;
  /** Else all blocks are of the least difficulty. */
  readonly retargets: boolean;
  /** BIP94: the period's first block tells its difficulty, and its time may not lie far before its parent's. */
  readonly bip94: boolean;
}

export const DIFFICULTY_RULES: Readonly<Record<Network, Rules>> = {
  mainnet: { minimumAfterDelay: false, retargets: true, bip94: false },
  signet: { minimumAfterDelay: false, retargets: true, bip94: false },
  testnet4: { minimumAfterDelay: true, retargets: true, bip94: true },
  regtest: { minimumAfterDelay: true, retargets: false, bip94: false },
};

export interface TimedBits {
  readonly time: number;
  readonly bits: number;
}

/**
 * The bits that the block at `height` (at `time`) must state. `at` gives an earlier block of its chain, or null where it is not known.
 * null where too little is known to tell.
 */
export function requiredBits(
  block: { height: number; time: number },
  at: (height: number) => TimedBits | null,
  network: Network,
): number | null {
  const rules = DIFFICULTY_RULES[network];
  const easiest = encodeCompact(POW_LIMIT[network]);
  if (!rules.retargets) return easiest;
  const parent = at(block.height - 1);
  if (parent === null) return null;
  if (block.height % RETARGET_INTERVAL === 0) {
    const first = at(block.height - RETARGET_INTERVAL);
    return first === null ? null : retargeted(first, parent, network);
  }
  if (!rules.minimumAfterDelay) return parent.bits;
  if (block.time > parent.time + SLOW_BLOCK) return easiest;
  for (let height = block.height - 1; ; height--) {
    const earlier = at(height);
    if (earlier === null) return null;
    if (earlier.bits !== easiest || height % RETARGET_INTERVAL === 0) return earlier.bits;
  }
}

/** The bits after a period that began with `first` and ended with `last`. */
export function retargeted(first: TimedBits, last: TimedBits, network: Network): number {
  const took = Math.min(TIMESPAN * 4, Math.max(TIMESPAN / 4, last.time - first.time));
  const from = DIFFICULTY_RULES[network].bip94 ? first : last;
  const target = BigInt.asUintN(256, decodeCompact(from.bits).target * BigInt(took)) / BigInt(TIMESPAN);
  return encodeCompact(target > POW_LIMIT[network] ? POW_LIMIT[network] : target);
}
