/** What a spend of a descriptor waits for, where every spend of it waits for something (miniscript's older and after). */
import type { DescriptorNode } from '../descriptors/descriptor-node.ts';
import type { LockTest, Timelock } from '../descriptors/miniscript-size.ts';
import { inputWeight } from '../descriptors/satisfaction-weight.ts';
import { DomainError } from '../errors.ts';

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

/**
 * Chosen for the least waiting: a spend without locks where there is one, else the lowest height, then the fewest blocks. Throws
 * `signing_unavailable` where every spend waits for a time (not a height): payments know heights.
 */
export function timelocksOf(node: DescriptorNode): Timelocks {
  const locks = locksIn(node);
  if (locks.length === 0) return NONE;
  const heights = rising(
    locks.filter(({ type, value }) => type === 'after' && value < LOCKTIME_THRESHOLD).map(({ value }) => value),
  );
  const blocks = rising(locks.filter(({ type, value }) => type === 'older' && !(value & SEQUENCE_TYPE)).map(blocksOf));
  const spendable = (waiting: Timelocks): boolean => inputWeight(node, openAfter(waiting)) !== null;
  const most: Timelocks = { olderBlocks: blocks.at(-1) as number, afterHeight: heights.at(-1) as number };
  if (!spendable(most))
    throw new DomainError(
      'signing_unavailable',
      'every spend of this wallet waits for a time: payments are made by block heights only; spend it with a PSBT of your own',
      { field: 'wallet_id' },
    );
  const afterHeight = least(heights, (height) => spendable({ ...most, afterHeight: height }));
  return { afterHeight, olderBlocks: least(blocks, (count) => spendable({ olderBlocks: count, afterHeight })) };
}

/** The locks that a spend fulfils which waits so long. */
export const openAfter =
  ({ olderBlocks, afterHeight }: Timelocks): LockTest =>
  ({ type, value }) =>
    type === 'older'
      ? !(value & SEQUENCE_TYPE) && blocksOf({ value }) <= olderBlocks
      : value < LOCKTIME_THRESHOLD && value <= afterHeight;

/** Of higher bits nothing is asked; yet a sequence must be one that has a relative lock. */
const blocksOf = ({ value }: Pick<Timelock, 'value'>): number => Math.max(1, value & SEQUENCE_MASK);

/** Each once, with 0 before them. */
const rising = (values: readonly number[]): number[] => [...new Set([0, ...values])].sort((a, b) => a - b);

/** The first for which a test holds that holds for the last, and for all behind the first. */
function least(values: readonly number[], holds: (value: number) => boolean): number {
  let [low, high] = [0, values.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(values[middle] as number)) high = middle;
    else low = middle + 1;
  }
  return values[low] as number;
}

function locksIn(node: DescriptorNode): Timelock[] {
  const found: Timelock[] = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const one of value) visit(one);
    else if (isLock(value)) found.push(value);
    else if (isPart(value)) visit(Object.values(value));
  };
  visit(node);
  return found;
}

const isPart = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Buffer.isBuffer(value) && !('publicKeyAt' in value);
const isLock = (value: unknown): value is Timelock =>
  isPart(value) && 'type' in value && (value.type === 'older' || value.type === 'after');
