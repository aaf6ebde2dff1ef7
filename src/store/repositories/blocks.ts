import type { BlockHash } from '../../core/outpoint.ts';
import { integer, type RecordOf, type RowOf, table, text } from '../queries/columns.ts';
import { prepared } from '../queries/prepared.ts';
import { rowsOf } from '../queries/rows-of.ts';
import type { Session } from '../queries/session.ts';

const blocksTable = table('blocks', ['height'], {
  height: integer,
  hash: text<BlockHash>(),
  prevHash: text<BlockHash>(),
  /** Unix seconds, as in the header. */
  time: integer,
  medianTime: integer,
});
export type BlockRecord = RecordOf<typeof blocksTable>;

declare module '../schema.ts' {
  interface Schema {
    blocks: RowOf<typeof blocksTable>;
  }
}

const blocks = rowsOf(blocksTable);
const blocksFrom = prepared((db, p: { height: bigint; limit: bigint }) =>
  db.selectFrom('blocks').selectAll().where('height', '>=', p.height).orderBy('height').limit(p.limit),
);

/** The followed chain: the ledger's part about blocks themselves. */
export function blockRepository(session: Session) {
  const readTip = () => blocks.find(session, {}, 'order by height desc limit 1');

  return {
    tip: readTip,
    /** The tip, for a job that goes by it: until that ends no other job moves it. */
    holdTip: async () => {
      // Writers of the table wait for this job; readers don't. SQLite's jobs run one at a time.
      if (session.kind === 'postgres')
        await session.run({ sql: 'lock table blocks in share row exclusive mode', parameters: [] });
      return readTip();
    },
    blockAt: (height: number) => blocks.find(session, { height }),
    blocksFrom: async (height: number, limit: number) =>
      (await blocksFrom.all(session, { height: BigInt(height), limit: BigInt(limit) })).map(blocks.record),
    /** Throws where a height is taken: another process has applied a block there. */
    insertBlocks: async (added: readonly BlockRecord[]) => {
      await blocks.insert(session, added);
    },
    deleteBlock: async (height: number) => {
      await blocks.delete(session, { height });
    },
  };
}
