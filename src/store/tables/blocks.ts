import type { BlockHash } from '../../core/outpoint.ts';
import { integer, type RecordOf, type RowOf, table, text } from './columns.ts';

export const blocks = table('blocks', ['height'], {
  height: integer,
  hash: text<BlockHash>(),
  prevHash: text<BlockHash>(),
  /** Unix seconds, as in the header. */
  time: integer,
  medianTime: integer,
});
export type BlockRecord = RecordOf<typeof blocks>;

/** The followed chain, from the first followed block to the tip. */
export interface BlockTables {
  blocks: RowOf<typeof blocks>;
}
