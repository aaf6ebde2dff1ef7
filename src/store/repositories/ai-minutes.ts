/** How calls of models went, of all accounts and processes together, by minute. */
import { integer, type RecordOf, type RowOf, table } from '../queries/columns.ts';
import { prepared } from '../queries/prepared.ts';
import { rowsOf } from '../queries/rows-of.ts';
import type { Session } from '../queries/session.ts';

const minutesTable = table('ai_minutes', ['minute'], {
  /** Since the epoch; 0: all that there ever was. */
  minute: integer,
  requests: integer,
  failures: integer,
  /** Those that have a latency, and the sum of it. */
  answered: integer,
  latencyMs: integer,
});
export type AiMinute = RecordOf<typeof minutesTable>;

declare module '../schema.ts' {
  interface Schema {
    ai_minutes: RowOf<typeof minutesTable>;
  }
}

const sum = (column: string): string => `${column} = ai_minutes.${column} + excluded.${column}`;
const minutes = rowsOf(
  minutesTable,
  `on conflict (minute) do update set ${['requests', 'failures', 'answered', 'latency_ms'].map(sum).join(', ')}`,
);
const since = prepared((db, p: { minute: bigint }) =>
  minutes.select(db).where((eb) => eb.or([eb('minute', '=', 0n), eb('minute', '>=', p.minute)])),
);
const deleteBefore = prepared((db, p: { minute: bigint }) =>
  db.deleteFrom('ai_minutes').where('minute', '>', 0n).where('minute', '<', p.minute),
);

export function aiMinuteRepository(session: Session) {
  return {
    /** Each to what there is of its minute. */
    add: async (records: readonly AiMinute[]) => {
      await minutes.insert(session, records);
    },
    /** From this minute on, and the sum of all. */
    since: async (minute: number) => (await since.all(session, { minute: BigInt(minute) })).map(minutes.record),
    deleteBefore: async (minute: number) => {
      await deleteBefore.run(session, { minute: BigInt(minute) });
    },
  };
}
