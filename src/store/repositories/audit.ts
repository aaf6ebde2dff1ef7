import { sql } from 'kysely';
import type {
  AuditAnchor,
  AuditHead,
  AuditRecord,
  AuditRepository,
  AuditSeal,
  SealedAuditRecord,
} from '../interfaces/audit.ts';
import { insertRows } from '../queries/insert-rows.ts';
import { prepared } from '../queries/prepared.ts';
import type { Session } from '../queries/session.ts';
import { pageByTime } from './audit-anchor-pages.ts';
import { type AuditRow, listAudit, toSealedRecord } from './audit-pages.ts';

const insertRecord = insertRows('audit_records', [
  'record_id',
  'log_id',
  'account_id',
  'time',
  'credential_kind',
  'credential_id',
  'operation',
  'target',
  'outcome',
  'entry',
]);
const insertSealRows = insertRows('audit_seals', [
  'log_id',
  'position',
  'sequence',
  'record_id',
  'previous_hash',
  'leaf_hash',
  'hash',
]);
const insertNodeRows = insertRows('audit_nodes', ['log_id', 'level', 'position', 'hash']);
const insertHeadRow = insertRows('audit_heads', ['log_id', 'size', 'key_id', 'root', 'time', 'note']);
const insertAnchorRow = insertRows('audit_anchors', [
  'anchor_id',
  'log_id',
  'size',
  'root',
  'account_id',
  'txid',
  'time',
]);

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
const lastSealOf = prepared((db, p: { logId: string }) =>
  db.selectFrom('audit_seals').selectAll().where('log_id', '=', p.logId).orderBy('position', 'desc').limit(1n),
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
const existingHead = prepared((db, p: { logId: string; size: bigint; keyId: string }) =>
  db
    .selectFrom('audit_heads')
    .select('size')
    .where('log_id', '=', p.logId)
    .where('size', '=', p.size)
    .where('key_id', '=', p.keyId),
);
const lastHeadOf = prepared((db, p: { logId: string }) =>
  db
    .selectFrom('audit_heads')
    .selectAll()
    .where('log_id', '=', p.logId)
    .orderBy('size', 'desc')
    .orderBy('time', 'desc')
    .limit(1n),
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
      const record = write(clock());
      await insertRecord(session, [recordRow(record)]);
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
      const records = rows.map((row) => ({
        sequence: row.sequence,
        recordId: row.record_id,
        logId: row.log_id,
        entry: row.entry,
      }));
      return { records, mark: next };
    },
    lastSeal: async (logId) => {
      const row = await lastSealOf.first(session, { logId });
      return (
        row && {
          logId,
          position: Number(row.position),
          sequence: row.sequence,
          recordId: row.record_id,
          previousHash: row.previous_hash,
          leafHash: row.leaf_hash,
          hash: row.hash,
        }
      );
    },
    insertSeals: async (seals) => {
      await insertSealRows(session, seals.map(sealRow));
    },
    insertNodes: async (nodes) => {
      await insertNodeRows(
        session,
        nodes.map((node) => ({
          log_id: node.logId,
          level: BigInt(node.level),
          position: BigInt(node.position),
          hash: node.hash,
        })),
      );
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
      const { logId, keyId } = head;
      const key = { logId, size: BigInt(head.size), keyId };
      if ((await existingHead.first(session, key)) !== null) return;
      await insertHeadRow(session, [
        { log_id: logId, size: key.size, key_id: keyId, root: head.root, time: BigInt(head.time), note: head.note },
      ]);
    },
    lastHead: async (logId) => toHead(await lastHeadOf.first(session, { logId })),
    headCovering: async (logId, position, keyId) =>
      toHead(await firstHeadAbove.first(session, { logId, position: BigInt(position), keyId })),
    insertAnchor: async (anchor) => {
      await insertAnchorRow(session, [anchorRow(anchor)]);
    },
    listAnchors: (logId, page) => pageByTime(session, logId, page),
  };
}

const recordRow = (record: AuditRecord) => ({
  record_id: record.recordId,
  log_id: record.logId,
  account_id: record.accountId,
  time: BigInt(record.time),
  credential_kind: record.credentialKind,
  credential_id: record.credentialId,
  operation: record.operation,
  target: record.target,
  outcome: record.outcome,
  entry: record.entry,
});

const sealRow = (seal: AuditSeal) => ({
  log_id: seal.logId,
  position: BigInt(seal.position),
  sequence: seal.sequence,
  record_id: seal.recordId,
  previous_hash: seal.previousHash,
  leaf_hash: seal.leafHash,
  hash: seal.hash,
});

const anchorRow = (anchor: AuditAnchor) => ({
  anchor_id: anchor.anchorId,
  log_id: anchor.logId,
  size: BigInt(anchor.size),
  root: anchor.root,
  account_id: anchor.accountId,
  txid: anchor.txid,
  time: BigInt(anchor.time),
});

type HeadRow = Awaited<ReturnType<typeof lastHeadOf.first>>;
const toHead = (row: HeadRow): AuditHead | null =>
  row && {
    logId: row.log_id,
    size: Number(row.size),
    keyId: row.key_id,
    root: row.root,
    time: Number(row.time),
    note: row.note,
  };
