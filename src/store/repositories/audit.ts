import { sql } from 'kysely';
import type { AuditRepository, AuditSeal, SealedAuditRecord } from '../interfaces/audit.ts';
import { prepared } from '../queries/prepared.ts';
import { rowsOf } from '../queries/rows-of.ts';
import type { Session } from '../queries/session.ts';
import { auditHeads, auditNodes } from '../tables/audit.ts';
import { anchors, pageByTime } from './audit-anchor-pages.ts';
import { type AuditRow, listAudit, records, seals, toSealedRecord } from './audit-pages.ts';

const nodes = rowsOf(auditNodes);
const heads = rowsOf(auditHeads);

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

export function auditRepository(session: Session, clock: () => number): AuditRepository {
  /** On SQLite rows are sealed in the order of their sequence; on PostgreSQL all must be looked at. */
  const firstMark = async (): Promise<bigint | null> =>
    session.kind === 'postgres' ? null : ((await newestSealed.first(session, {}))?.sequence ?? 0n);

  return {
    append: async (write) => {
      await records.insert(session, [write(clock())]);
      session.note('audit');
    },
    find: async (logId, recordId) => {
      const row = await findRecord.first(session, { logId, recordId });
      return row && toSealedRecord(row);
    },
    list: (logId, filter, page) => listAudit(session, logId, filter, page),
    sealedFrom: async (logId, position, limit) => {
      const rows = await sealed.all(session, { logId, position: BigInt(position), limit: BigInt(limit) });
      return rows.map((row: AuditRow) => toSealedRecord(row) as SealedAuditRecord & { seal: AuditSeal });
    },
    unsealed: async (mark, limit) => {
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
    lastSeal: (logId) => seals.find(session, { logId }, 'order by "position" desc limit 1'),
    insertSeals: async (made) => {
      await seals.insert(session, made);
    },
    insertNodes: async (made) => {
      await nodes.insert(session, made);
    },
    nodes: async (logId, level, position, count) => {
      const range = { logId, start: BigInt(position), end: BigInt(position + count) };
      const rows =
        level === 0
          ? await leafRange.all(session, range)
          : await nodeRange.all(session, { ...range, level: BigInt(level) });
      return rows.map((row) => row.hash);
    },
    insertHead: async (head) => {
      const { logId, size, keyId } = head;
      if ((await heads.count(session, { logId, size, keyId })) === 0) await heads.insert(session, [head]);
    },
    lastHead: (logId) => heads.find(session, { logId }, 'order by size desc, "time" desc limit 1'),
    headCovering: async (logId, position, keyId) => {
      const row = await firstHeadAbove.first(session, { logId, position: BigInt(position), keyId });
      return row && heads.record(row);
    },
    insertAnchor: async (anchor) => {
      await anchors.insert(session, [anchor]);
    },
    listAnchors: (logId, page) => pageByTime(session, logId, page),
  };
}
