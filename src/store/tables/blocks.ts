import type { BlockHash } from '../../core/outpoint.ts';
import type { BlockRecord } from '../records.ts';
import { integer, type RowOf, table, text } from './columns.ts';

export const blocks = table<BlockRecord>()('blocks', ['height'], {
  height: integer,
  hash: text<BlockHash>(),
  prevHash: text<BlockHash>(),
  time: integer,
  medianTime: integer,
});

/** The followed chain, from the first followed block to the tip. */
export interface BlockTables {
  blocks: RowOf<typeof blocks>;
}
