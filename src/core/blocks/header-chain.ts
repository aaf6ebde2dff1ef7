/** Whether headers make a chain: each on the one before, with the work it states, by the network's difficulty. */
import type { Network } from '../network.ts';
import type { BlockHash } from '../outpoint.ts';
import { DIFFICULTY_RULES, RETARGET_INTERVAL, requiredBits } from './difficulty.ts';
import { type BlockHeader, medianTimePast } from './header.ts';
import { type WorkProblem, workOf, workProblem } from './proof-of-work.ts';

export type HeaderProblem = WorkProblem | 'bad-prevblk' | 'bad-diffbits' | 'time-too-old' | 'time-timewarp-attack';

export interface HeaderChainVerdict {
  readonly valid: boolean;
  /** The first header at fault; null where there is none. */
  readonly failure: { readonly index: number; readonly problem: HeaderProblem } | null;
  /** How many headers' bits could be compared with what the chain before them asks for. */
  readonly difficultyChecked: number;
  /** Sum of the headers' work, up to the one at fault. */
  readonly work: bigint;
}

export interface HeaderChainRequest {
  readonly headers: readonly BlockHeader[];
  /** The one before the first. */
  readonly previous: BlockHeader | null;
  /** Height of the first; null: unknown, and no difficulty is checked. */
  readonly startHeight: number | null;
  readonly network: Network;
}

const NO_PARENT = '0'.repeat(64) as BlockHash;
const MEDIAN_SPAN = 11;
/** BIP94: seconds that a period's first block may lie before its parent. */
const MAX_TIMEWARP = 600;

/**
 * Checks in the order of Bitcoin Core: work, linkage, difficulty, median time (where the 11 headers before are known, or all from the
 * first block), BIP94's time rule. Linear in the number of headers. Not checked, since a header alone cannot tell: versions, the
 * future limit, checkpoints, a signet's signature.
 */
export function verifyHeaderChain({ headers, previous, startHeight, network }: HeaderChainRequest): HeaderChainVerdict {
  const known = previous === null ? headers : [previous, ...headers];
  const shift = previous === null ? 0 : 1;
  const base = startHeight === null ? null : startHeight - shift;
  const at = (height: number): BlockHeader | null => (base === null ? null : (known[height - base] ?? null));
  let difficultyChecked = 0;
  let work = 0n;

  function problemOf(header: BlockHeader, index: number): HeaderProblem | null {
    const lacking = workProblem(header, network);
    if (lacking !== null) return lacking;
    const position = index + shift;
    const parent = known[position - 1];
    const height = startHeight === null ? null : startHeight + index;
    const expected = parent?.hash ?? (height === 0 ? NO_PARENT : null);
    if (expected !== null && header.prevHash !== expected) return 'bad-prevblk';
    if (height !== null && height > 0) {
      const required = requiredBits({ height, time: header.time }, at, network);
      if (required !== null) {
        difficultyChecked++;
        if (required !== header.bits) return 'bad-diffbits';
      }
    }
    if (position >= MEDIAN_SPAN || (base === 0 && position > 0)) {
      const times = known.slice(Math.max(0, position - MEDIAN_SPAN), position).map(({ time }) => time);
      if (header.time <= medianTimePast(times)) return 'time-too-old';
    }
    const startsPeriod = height !== null && height > 0 && height % RETARGET_INTERVAL === 0;
    if (startsPeriod && DIFFICULTY_RULES[network].bip94 && parent && header.time < parent.time - MAX_TIMEWARP)
      return 'time-timewarp-attack';
    return null;
  }

  for (const [index, header] of headers.entries()) {
    const problem = problemOf(header, index);
    if (problem !== null) return { valid: false, failure: { index, problem }, difficultyChecked, work };
    work += workOf(header.bits);
  }
  return { valid: true, failure: null, difficultyChecked, work };
}
