import { sql } from 'kysely';
import { bytes, integer, type RecordOf, type RowOf, table, text, time } from '../queries/columns.ts';
import type { PageRequest } from '../queries/page-of-rows.ts';
import { prepared } from '../queries/prepared.ts';
import { rowsOf } from '../queries/rows-of.ts';
import type { Session } from '../queries/session.ts';
import { type AuditAnchor, anchors, pageByTime } from './audit-anchor-pages.ts';
import {
  type AuditFilter,
  type AuditRecord,
  type AuditRow,
  type AuditSeal,
  listAudit,
  records,
  type SealedAuditRecord,
  seals,
  toSealedRecord,
} from './audit-pages.ts';

export interface UnsealedAuditRecord {
  sequence: bigint;
  recordId: string;
  logId: string;
  entry: string;
}

/** Roots of complete subtrees of 2^level leaves, at the levels 8, 16, 24, … */
export const auditNodes = table('audit_nodes', ['level', 'position'], {
  logId: text(),
  level: integer,
  position: integer,
  hash: bytes,
});
/** Root of the complete subtree of leaves position * 2^level to (position + 1) * 2^level. */
export type AuditNode = RecordOf<typeof auditNodes>;

export const auditHeads = table('audit_heads', ['size', 'keyId'], {
  logId: text(),
  size: integer,
  /** Signed-note key id (8 hex digits). */
  keyId: text(),
  root: bytes,
  time,
  /** C2SP signed note. */
  note: text(),
});
export type AuditHead = RecordOf<typeof auditHeads>;

const commitmentsTable = table('audit_commitments', ['subject'], {
  logId: text(),
  /** What a record commits to: the first two words of its commitment. */
  subject: text(),
  /** The last one. */
  recordId: text(),
});

/** Rows of the audit log are only ever added: triggers refuse anything else. */
declare module '../schema.ts' {
  interface Schema {
    audit_nodes: RowOf<typeof auditNodes>;
    audit_heads: RowOf<typeof auditHeads>;
    audit_commitments: RowOf<typeof commitmentsTable>;
  }
}

const nodes = rowsOf(auditNodes);
const heads = rowsOf(auditHeads);
const commitments = rowsOf(
  commitmentsTable,
  'on conflict (log_id, subject) do update set record_id = excluded.record_id',
);

const findRecord = prepared((db, p: { logId: string; recordId: string }) =>
  db
    .selectFrom('audit_records as record')
    .leftJoin('audit_seals as seal', 'seal.sequence', 'record.sequence')
    .selectAll('record')
    .select(['seal.position', 'seal.previous_hash', 'seal.leaf_hash', 'seal.hash'])
    .where('record.record_id', '=', p.recordId)
    .where('record.log_id', '=', p.logId),
);
const sealed = prepared((db, p: { logId: string; position: bigint; limit: bigint }) =>
  db
    .selectFrom('audit_seals as seal')
    .innerJoin('audit_records as record', 'record.sequence', 'seal.sequence')
    .selectAll('record')
    .select(['seal.position', 'seal.previous_hash', 'seal.leaf_hash', 'seal.hash'])
    .where('seal.log_id', '=', p.logId)
    .where('seal.position', '>=', p.position)
    .orderBy('seal.position')
    .limit(p.limit),
);
/** The oldest transaction still running: each with a lower number has ended, and what it wrote is seen by the next statement. */
const oldestRunning = prepared((_, __: object) => ({
  compile: () => sql<{ mark: bigint }>`select pg_snapshot_xmin(pg_current_snapshot())::text::bigint as mark`.compile(_),
}));
const unsealedRecords = prepared((db, p: { mark: bigint; limit: bigint }, kind) => {
  const waiting = db
    .selectFrom('audit_records as record')
    .leftJoin('audit_seals as seal', 'seal.sequence', 'record.sequence')
    .select(['record.sequence', 'record.record_id', 'record.log_id', 'record.entry'])
    .where('seal.sequence', 'is', null)
    .orderBy('record.sequence')
    .limit(p.limit);
  if (kind === 'sqlite') return waiting.where('record.sequence', '>', p.mark);
  // The upper bound spares rows of a database that was restored into another server, whose transactions had higher numbers.
  return waiting
    .where('record.written_by', '>=', p.mark)
    .where('record.written_by', '<', sql<bigint>`pg_snapshot_xmax(pg_current_snapshot())::text::bigint`);
});
const allUnsealed = prepared((db, p: { limit: bigint }) =>
  db
    .selectFrom('audit_records as record')
    .leftJoin('audit_seals as seal', 'seal.sequence', 'record.sequence')
    .select(['record.sequence', 'record.record_id', 'record.log_id', 'record.entry'])
    .where('seal.sequence', 'is', null)
    .orderBy('record.sequence')
    .limit(p.limit),
);
const newestSequence = prepared((db, _: object) =>
  db.selectFrom('audit_records').select('sequence').orderBy('sequence', 'desc').limit(1n),
);
const newestSealed = prepared((db, _: object) =>
  db.selectFrom('audit_seals').select('sequence').orderBy('sequence', 'desc').limit(1n),
);
const leafRange = prepared((db, p: { logId: string; start: bigint; end: bigint }) =>
  db
    .selectFrom('audit_seals')
    .select('leaf_hash as hash')
    .where('log_id', '=', p.logId)
    .where('position', '>=', p.start)
    .where('position', '<', p.end)
    .orderBy('position'),
);
const nodeRange = prepared((db, p: { logId: string; level: bigint; start: bigint; end: bigint }) =>
  db
    .selectFrom('audit_nodes')
    .select('hash')
    .where('log_id', '=', p.logId)
    .where('level', '=', p.level)
    .where('position', '>=', p.start)
    .where('position', '<', p.end)
    .orderBy('position'),
);
const headRange = prepared((db, p: { logId: string; after: bigint; upTo: bigint }) =>
  db
    .selectFrom('audit_heads')
    .selectAll()
    .where('log_id', '=', p.logId)
    .where('size', '>', p.after)
    .where('size', '<=', p.upTo)
    .orderBy('size'),
);
const firstHeadAbove = prepared((db, p: { logId: string; position: bigint; keyId: string }) =>
  db
    .selectFrom('audit_heads')
    .selectAll()
    .where('log_id', '=', p.logId)
    .where('size', '>', p.position)
    .where('key_id', '=', p.keyId)
    .orderBy('size')
    .limit(1n),
);

/** Whatever the log: `logId` is the account's id or `service`. Nothing here changes or deletes a row; the database refuses it. */
export function auditRepository(session: Session, clock: () => number) {
  /** On SQLite rows are sealed in the order of their sequence; on PostgreSQL all must be looked at. */
  const firstMark = async (): Promise<bigint | null> =>
    session.kind === 'postgres' ? null : ((await newestSealed.first(session, {}))?.sequence ?? 0n);

  return {
    /** Appends what `write` makes at the time given, and answers it; listeners of onAudit hear of it after the commit. */
    append: async (write: (time: number) => AuditRecord) => {
      const record = write(clock());
      await records.insert(session, [record]);
      session.note('audit');
      return record;
    },
    find: async ({ logId, recordId }: Pick<AuditRecord, 'logId' | 'recordId'>) => {
      const row = await findRecord.first(session, { logId, recordId });
      return row && toSealedRecord(row);
    },
    /** In the job that appends the record. */
    putCommitment: async (commitment: RecordOf<typeof commitmentsTable>) => {
      await commitments.insert(session, [commitment]);
    },
    /** The last record that commits to this. */
    committing: async (logId: string, subject: string): Promise<string | null> =>
      (await commitments.find(session, { logId, subject }))?.recordId ?? null,
    /** Newest first. */
    list: (logId: string, filter: AuditFilter, page: PageRequest) => listAudit(session, logId, filter, page),
    /** Sealed records from `position` on, in order of position, for exports. */
    sealedFrom: async (logId: string, position: number, limit: number) => {
      const rows = await sealed.all(session, { logId, position: BigInt(position), limit: BigInt(limit) });
      return rows.map((row: AuditRow) => toSealedRecord(row) as SealedAuditRecord & { seal: AuditSeal });
    },
    /**
     * Up to `limit` records of all logs without seal, in order of sequence. `mark`: what an earlier call answered; null looks at all records.
     * The answered mark lets the next call skip what is certainly sealed once all that was answered here has been: on PostgreSQL rows become
     * visible out of order, so it is the oldest transaction still running before the look, and not the highest sequence seen.
     */
    unsealed: async (mark: bigint | null, limit: number) => {
      const next =
        session.kind === 'postgres'
          ? (await oldestRunning.first(session, {}))!.mark
          : ((await newestSequence.first(session, {}))?.sequence ?? 0n);
      const size = BigInt(limit);
      const known = mark ?? (await firstMark());
      const rows =
        known === null
          ? await allUnsealed.all(session, { limit: size })
          : await unsealedRecords.all(session, { mark: known, limit: size });
      const found = rows.map((row) => ({
        sequence: row.sequence,
        recordId: row.record_id,
        logId: row.log_id,
        entry: row.entry,
      }));
      return { records: found, mark: next };
    },
    lastSeal: (logId: string) => seals.find(session, { logId }, 'order by "position" desc limit 1'),
    /** Throws where a position or a record has its seal already: another sealer was there. */
    insertSeals: async (made: readonly AuditSeal[]) => {
      await seals.insert(session, made);
    },
    /** Throws where one is there. */
    insertNodes: async (made: readonly AuditNode[]) => {
      await nodes.insert(session, made);
    },
    /** Hashes of `count` subtrees of one level from `position` on, fewer where fewer are there; level 0: leaf hashes. */
    nodes: async (logId: string, level: number, position: number, count: number) => {
      const range = { logId, start: BigInt(position), end: BigInt(position + count) };
      const rows =
        level === 0
          ? await leafRange.all(session, range)
          : await nodeRange.all(session, { ...range, level: BigInt(level) });
      return rows.map((row) => row.hash);
    },
    /** Leaves one that is there (same log, size and key) as it stands: false. */
    insertHead: async (head: AuditHead) => {
      const { logId, size, keyId } = head;
      if ((await heads.count(session, { logId, size, keyId })) > 0) return false;
      await heads.insert(session, [head]);
      return true;
    },
    findHead: (logId: string, size: number, keyId: string) => heads.find(session, { logId, size, keyId }),
    /** The largest; of those the newest. */
    lastHead: (logId: string) => heads.find(session, { logId }, 'order by size desc, "time" desc limit 1'),
    /** Those of more than `after` records, up to `upTo`, by size. */
    headsBetween: async (logId: string, after: number, upTo: number) =>
      (await headRange.all(session, { logId, after: BigInt(after), upTo: BigInt(upTo) })).map(heads.record),
    /** The smallest head that covers `position`, under this key. */
    headCovering: async (logId: string, position: number, keyId: string) => {
      const row = await firstHeadAbove.first(session, { logId, position: BigInt(position), keyId });
      return row && heads.record(row);
    },
    insertAnchor: async (anchor: AuditAnchor) => {
      await anchors.insert(session, [anchor]);
    },
    /** Newest first. */
    listAnchors: (logId: string, page: PageRequest) => pageByTime(session, logId, page),
  };
}
