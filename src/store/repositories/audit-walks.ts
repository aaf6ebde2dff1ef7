/** How far the verification of each audit log has come, and what it found. */
import { bytes, integer, orNull, type RecordOf, type RowOf, table, text, time } from '../queries/columns.ts';
import { prepared } from '../queries/prepared.ts';
import { rowsOf } from '../queries/rows-of.ts';
import type { Session } from '../queries/session.ts';

const walksTable = table('audit_walks', ['logId'], {
  logId: text(),
  /** Records gone through since `beganAt`; the hash of the last seal, and the hashes of the complete subtrees, 32 bytes each. */
  size: integer,
  lastHash: bytes,
  subtrees: bytes,
  beganAt: time,
  /** What the last walk that reached the end went through, and when it did. */
  verifiedSize: integer,
  verifiedAt: orNull(time),
  /** What the last walk that ended found wrong, first, and where; null: nothing. */
  problem: orNull(text()),
  problemPosition: orNull(integer),
  problemAt: orNull(time),
});
export type AuditWalk = RecordOf<typeof walksTable>;

declare module '../schema.ts' {
  interface Schema {
    audit_walks: RowOf<typeof walksTable>;
  }
}

const walks = rowsOf(
  walksTable,
  `on conflict (log_id) do update set size = excluded.size, last_hash = excluded.last_hash, subtrees = excluded.subtrees,
    began_at = excluded.began_at, verified_size = excluded.verified_size, verified_at = excluded.verified_at,
    problem = excluded.problem, problem_position = excluded.problem_position, problem_at = excluded.problem_at`,
);
const wrong = prepared((db) =>
  db.selectFrom('audit_walks').select('log_id').where('problem_at', 'is not', null).orderBy('log_id').limit(1_000n),
);

export function auditWalkRepository(session: Session) {
  return {
    find: (logId: string) => walks.find(session, { logId }),
    put: async (walk: AuditWalk) => {
      await walks.insert(session, [walk]);
    },
    /** Logs in which something is wrong, 1,000 at most. */
    wrong: async () => (await wrong.all(session, {})).map((row) => row.log_id),
  };
}
