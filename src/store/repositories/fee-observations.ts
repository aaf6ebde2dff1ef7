/** What feerate each block took that came while the service ran, and what was predicted when it had come. A row of each height. */
import type { FeeObservation } from '../../core/analytics/fee-forecast.ts';
import type { BlockHash } from '../../core/outpoint.ts';
import { integer, json, orNull, type RecordOf, type RowOf, table, text, time } from '../queries/columns.ts';
import { prepared } from '../queries/prepared.ts';
import { rowsOf } from '../queries/rows-of.ts';
import type { Session } from '../queries/session.ts';

const observationsTable = table('fee_observations', ['height'], {
  height: integer,
  blockHash: text<BlockHash>(),
  seenAt: time,
  needed: orNull(integer),
  said: json<FeeObservation['said']>(),
});
export type FeeObservationRecord = RecordOf<typeof observationsTable>;

declare module '../schema.ts' {
  interface Schema {
    fee_observations: RowOf<typeof observationsTable>;
  }
}

/** Of two blocks of one height the later one stands. */
const observations = rowsOf(
  observationsTable,
  `on conflict (height) do update set block_hash = excluded.block_hash, seen_at = excluded.seen_at, needed = excluded.needed,
    said = excluded.said`,
);
const latest = prepared((db, p: { limit: bigint }) => observations.select(db).orderBy('height', 'desc').limit(p.limit));
const newest = prepared((db) =>
  db.selectFrom('fee_observations').select(['height', 'block_hash']).orderBy('height', 'desc').limit(1),
);
const deleteOutside = prepared((db, p: { from: bigint; to: bigint }) =>
  db.deleteFrom('fee_observations').where((eb) => eb.or([eb('height', '<', p.from), eb('height', '>', p.to)])),
);

export function feeObservationRepository(session: Session) {
  return {
    put: async (record: FeeObservationRecord) => {
      await observations.insert(session, [record]);
    },
    /** The last ones, by height. */
    latest: async (limit: number): Promise<FeeObservationRecord[]> =>
      (await latest.all(session, { limit: BigInt(limit) })).map((row) => observations.record(row)).reverse(),
    /** Which block the last one is of; null: there is none. */
    newest: async (): Promise<BlockHash | null> =>
      ((await newest.first(session, {}))?.block_hash ?? null) as BlockHash | null,
    /** Those of other heights: too old, or of a chain that was longer. */
    deleteOutside: async (from: number, to: number) => {
      await deleteOutside.run(session, { from: BigInt(from), to: BigInt(to) });
    },
  };
}
