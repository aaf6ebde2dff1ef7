/** Headers of the best chain, and single ones of any. */
import type { ChainSource, HeaderRecord } from '../../chain/chain-source.ts';
import { DomainError } from '../../core/errors.ts';
import { type BlockFinder, type BlockId, findHeader, type HeaderView, headerView } from './find-block.ts';

export function createChainHeaders(deps: { chain: BlockFinder & Pick<ChainSource, 'blockHashesAt'> }) {
  const { chain } = deps;
  return {
    /** Throws `not_found`. */
    get: (id: BlockId) => findHeader(chain, id),
    /** Ascending from a height, as many as there are. Throws `not_found` for a height above the tip. */
    async range(from: number, count: number) {
      const { height: tipHeight } = await chain.info();
      if (from > tipHeight)
        throw new DomainError('not_found', `the chain ends at height ${tipHeight}`, { field: 'query.from' });
      const heights = Array.from({ length: Math.min(count, tipHeight - from + 1) }, (_, up) => from + up);
      const hashes = await chain.blockHashesAt(heights);
      const records = await chain.headerRecords(hashes.filter((hash) => hash !== null));
      const headers: HeaderView[] = [];
      for (const record of records) {
        // Up to where a reorganization in between breaks the chain.
        if (record === null || !follows(record, headers.at(-1))) break;
        headers.push(headerView(record, tipHeight));
      }
      return { headers, tipHeight };
    },
  };
}

export type ChainHeaders = ReturnType<typeof createChainHeaders>;

const follows = (record: HeaderRecord, before: HeaderRecord | undefined): boolean =>
  before === undefined || record.prevHash === before.hash;
