/** Blocks as the chain source has them: chain data, the same for every account. */
import type { ChainSource, HeaderRecord } from '../../chain/chain-source.ts';
import { transactionsBetween } from '../../core/blocks/block.ts';
import { DomainError } from '../../core/errors.ts';
import type { BlockHash } from '../../core/outpoint.ts';
import { createBlockViews } from './block-views.ts';
import { type BlockFinder, type BlockId, findBlockHash, headerView, noBlock } from './find-block.ts';
import type { RecentBlocks } from './recent-blocks.ts';

export type { BlockView } from './block-views.ts';

export function createChainBlocks(deps: { chain: BlockFinder & BlockReader; recent: RecentBlocks }) {
  const { chain, recent } = deps;

  async function bytesOf(hash: BlockHash): Promise<Uint8Array> {
    const bytes = await recent.bytes(hash);
    if (bytes === null) throw noBlock();
    return bytes;
  }

  const get = createBlockViews({ chain, recent });

  async function transactions(id: BlockId, { limit, offset }: { limit: number; offset: number }) {
    const bytes = await bytesOf(await findBlockHash(chain, id));
    const { count, transactions: data } = transactionsBetween(bytes, offset, offset + limit);
    return { data, total: count, limit, offset, hasMore: offset + limit < count, nextCursor: null };
  }

  return {
    /** The best chain, newest first. A cursor goes on below the page that gave it, whatever blocks have come meanwhile. */
    async list({ limit, offset: asked, cursor }: { limit: number; offset: number; cursor?: string }) {
      const { height: tip } = await chain.info();
      const newest = cursor === undefined ? tip - asked : Math.min(tip, heightIn(cursor));
      const offset = cursor === undefined ? asked : tip - newest;
      const heights = Array.from({ length: Math.max(0, Math.min(limit, newest + 1)) }, (_, back) => newest - back);
      const hashes = await chain.blockHashesAt(heights);
      // A height above the tip by now: the chain was reorganized between the two questions.
      const records = await chain.headerRecords(hashes.filter((hash) => hash !== null));
      const data = records.filter((record): record is HeaderRecord => record !== null);
      const next = newest - heights.length;
      const hasMore = heights.length > 0 && next >= 0;
      return {
        data: data.map((record) => headerView(record, tip)),
        total: tip + 1,
        limit,
        offset,
        hasMore,
        nextCursor: hasMore ? String(next) : null,
      };
    },
    /** Throws `not_found`; `source_incapable` where the block is pruned. */
    get,
    /** By the hash that was found, so that a reorganization mixes no two blocks. Throws as `get`. */
    async getWithTxids(id: BlockId, page: { limit: number; offset: number }) {
      const view = await get(id).catch((error: unknown) => {
        throw error instanceof DomainError && error.code === 'not_found' ? noBlock('hash') : error;
      });
      const { hash } = view.header;
      const [{ data, ...pagination }, totalFeesSats] = await Promise.all([
        transactions({ hash }, page),
        chain.blockFees(hash),
      ]);
      return { ...view, totalFeesSats, txids: data.map(({ txid }) => txid), pagination };
    },
    transactions,
    async raw(id: BlockId) {
      const hash = await findBlockHash(chain, id);
      return { hash, bytes: await bytesOf(hash) };
    },
  };
}

export type ChainBlocks = ReturnType<typeof createChainBlocks>;

type BlockReader = Pick<ChainSource, 'blockHashesAt' | 'bestBlockHash' | 'blockFees'>;

function heightIn(cursor: string): number {
  if (/^\d{1,9}$/.test(cursor)) return Number(cursor);
  throw new DomainError(
    'invalid_value',
    'the cursor is not one that this list gave: use next_cursor of a page as it is',
    {
      field: 'query.cursor',
    },
  );
}
