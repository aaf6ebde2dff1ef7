/** Birthdays: from what the caller wrote to the height a scan starts at. */
import type { ChainInfo, ChainSource } from '../../chain/chain-source.ts';
import { DomainError } from '../../core/errors.ts';
import type { Network } from '../../core/network.ts';
import type { WalletType } from '../../store/records.ts';
import type { Birthday } from './wallet-service.ts';

/** Clocks of people and of blocks differ: what was made "on" a day may be in a block dated two hours before (consensus' own margin). */
const MARGIN_SECONDS = 2 * 60 * 60;

/** Where the script type began on mainnet (segwit BIP141, taproot BIP341): no wallet of it is older. */
const ACTIVATION: Partial<Record<WalletType, number>> = { segwit: 481_824, 'nested-segwit': 481_824, taproot: 709_632 };

interface BirthdayOf {
  readonly type: WalletType;
  readonly network: Network;
  /** What a restored backup says, where the caller says nothing. */
  readonly backedUpHeight?: number | undefined;
}

/**
 * The height of a birthday; without one, the backup's, or the first height that the type can have history at. Throws `invalid_value` above the tip and
 * `birthday_pruned` below the node's blocks.
 */
export async function birthdayHeight(
  chain: Pick<ChainSource, 'info' | 'blockHashAt' | 'header'>,
  birthday: Birthday | undefined,
  wallet: BirthdayOf,
): Promise<number> {
  const info = await chain.info();
  const height = await heightOf(chain, info, birthday, wallet);
  if (height > info.height) {
    throw new DomainError('invalid_value', `the birthday is above the chain's tip, which is at height ${info.height}`, {
      field: 'birthday',
    });
  }
  refusePruned(info, height, 'birthday');
  return height;
}

/** Throws `birthday_pruned` where the node no longer has the blocks from `height` on. */
export function refusePruned(info: Pick<ChainInfo, 'prunedBelow'>, height: number, field: string): void {
  if (height >= info.prunedBelow) return;
  throw new DomainError(
    'birthday_pruned',
    `the node has pruned its blocks below height ${info.prunedBelow}: give a birthday of ${info.prunedBelow} or later, or use a node with all blocks`,
    { field },
  );
}

async function heightOf(
  chain: Pick<ChainSource, 'blockHashAt' | 'header'>,
  info: ChainInfo,
  birthday: Birthday | undefined,
  wallet: BirthdayOf,
): Promise<number> {
  if (typeof birthday === 'number') return birthday;
  if (birthday === undefined) {
    // This node may be behind the one the backup was made with; from its tip on the follower looks anyway.
    if (wallet.backedUpHeight !== undefined) return Math.min(wallet.backedUpHeight, info.height);
    const activation = wallet.network === 'mainnet' ? (ACTIVATION[wallet.type] ?? 0) : 0;
    return Math.min(activation, info.height);
  }
  const time = Date.parse(birthday) / 1000;
  if (Number.isNaN(time)) {
    throw new DomainError('invalid_value', 'birthday must be a height or an ISO 8601 date such as 2026-01-31', {
      field: 'birthday',
    });
  }
  return lastHeightBefore(chain, info.height, time - MARGIN_SECONDS);
}

/** The last height whose median time is below `time` (median times only grow, BIP113); 0 where none is. */
async function lastHeightBefore(
  chain: Pick<ChainSource, 'blockHashAt' | 'header'>,
  tip: number,
  time: number,
): Promise<number> {
  let low = 0;
  let high = tip;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const hash = await chain.blockHashAt(middle);
    const header = hash && (await chain.header(hash));
    // A reorg took the block away meanwhile: look below it.
    if (header && header.medianTime < time) low = middle;
    else high = middle - 1;
  }
  return low;
}
