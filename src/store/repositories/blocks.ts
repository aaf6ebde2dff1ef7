import type { Selectable } from 'kysely';
import type { BlockHash } from '../../core/outpoint.ts';
import { insertRows } from '../queries/insert-rows.ts';
import { prepared } from '../queries/prepared.ts';
import type { Session } from '../queries/session.ts';
import type { BlockRecord } from '../records.ts';
import type { Schema } from '../schema.ts';
import type { LedgerRepository } from '../store.ts';

const insertBlocks = insertRows('blocks', ['height', 'hash', 'prev_hash', 'time', 'median_time']);
const tip = prepared((db) => db.selectFrom('blocks').selectAll().orderBy('height', 'desc').limit(1n));
const blockAt = prepared((db, p: { height: bigint }) =>
  db.selectFrom('blocks').selectAll().where('height', '=', p.height),
);
const blocksFrom = prepared((db, p: { height: bigint; limit: bigint }) =>
  db.selectFrom('blocks').selectAll().where('height', '>=', p.height).orderBy('height').limit(p.limit),
);
const deleteBlock = prepared((db, p: { height: bigint }) => db.deleteFrom('blocks').where('height', '=', p.height));

const toBlock = (row: Selectable<Schema['blocks']>): BlockRecord => ({
  height: Number(row.height),
  hash: row.hash as BlockHash,
  prevHash: row.prev_hash as BlockHash,
  time: Number(row.time),
  medianTime: Number(row.median_time),
});

type BlockRepository = Pick<
  LedgerRepository,
  'tip' | 'holdTip' | 'blockAt' | 'blocksFrom' | 'insertBlocks' | 'deleteBlock'
>;

/** The followed chain: the ledger's part about blocks themselves. */
export function blockRepository(session: Session): BlockRepository {
  async function readTip(): Promise<BlockRecord | null> {
    const row = await tip.first(session, {});
    return row && toBlock(row);
  }

  return {
    tip: readTip,
    holdTip: async () => {
      // Writers of the table wait for this job; readers don't. SQLite's jobs run one at a time.
      if (session.kind === 'postgres')
        await session.run({ sql: 'lock table blocks in share row exclusive mode', parameters: [] });
      return readTip();
    },
    blockAt: async (height) => {
      const row = await blockAt.first(session, { height: BigInt(height) });
      return row && toBlock(row);
    },
    blocksFrom: async (height, limit) =>
      (await blocksFrom.all(session, { height: BigInt(height), limit: BigInt(limit) })).map(toBlock),
    /** Throws where the height is taken: another process has applied a block there. */
    insertBlocks: async (blocks) => {
      const rows = blocks.map((block) => ({
        height: BigInt(block.height),
        hash: block.hash,
        prev_hash: block.prevHash,
        time: BigInt(block.time),
        median_time: BigInt(block.medianTime),
      }));
      await insertBlocks(session, rows);
    },
    deleteBlock: async (height) => {
      await deleteBlock.run(session, { height: BigInt(height) });
    },
  };
}
