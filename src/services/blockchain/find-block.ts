/** Which block a caller means: by hash, by height in the best chain, or the latest. */
import type { ChainSource, HeaderRecord } from '../../chain/chain-source.ts';
import { DomainError } from '../../core/errors.ts';
import type { BlockHash } from '../../core/outpoint.ts';

export type BlockId = { readonly hash: BlockHash } | { readonly height: number } | 'latest';

/** A header with what depends on where the chain ends now. */
export interface HeaderView extends HeaderRecord {
  /** 1 for the tip, 0 outside the best chain. */
  readonly confirmations: number;
}

export type BlockFinder = Pick<ChainSource, 'info' | 'blockHashAt' | 'headerRecords'>;

/** Throws `not_found` (naming hash_or_height) for a block that the source does not know, or a height above its tip. */
export async function findHeader(chain: BlockFinder, id: BlockId): Promise<HeaderView> {
  const { height: tipHeight, bestBlockHash } = await chain.info();
  const hash = await hashOf(chain, id, bestBlockHash);
  const [record] = hash === null ? [] : await chain.headerRecords([hash]);
  if (!record) throw noBlock();
  return headerView(record, tipHeight);
}

export async function findBlockHash(chain: BlockFinder, id: BlockId): Promise<BlockHash> {
  const hash =
    id === 'latest' ? (await chain.info()).bestBlockHash : 'hash' in id ? id.hash : await chain.blockHashAt(id.height);
  if (hash === null) throw noBlock();
  return hash;
}

export const headerView = (record: HeaderRecord, tipHeight: number): HeaderView => ({
  ...record,
  // A block may have come since the tip was asked for.
  confirmations: record.inBestChain ? Math.max(1, tipHeight - record.height + 1) : 0,
});

export const noBlock = (field = 'hash_or_height'): DomainError =>
  new DomainError('not_found', 'there is no such block', { field });

async function hashOf(chain: BlockFinder, id: BlockId, best: BlockHash): Promise<BlockHash | null> {
  if (id === 'latest') return best;
  return 'hash' in id ? id.hash : chain.blockHashAt(id.height);
}
