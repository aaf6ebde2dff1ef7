/** Pages of the audit log, newest first, in the order of the index (log, time, sequence). */

import { type Generated, type Selectable, type SelectQueryBuilder, sql } from 'kysely';
import type { AccountId } from '../../core/ids.ts';
import { bytes, integer, orNull, type RecordOf, type RowOf, table, text, time, whole } from '../queries/columns.ts';
import { decodeCursor, encodeCursor } from '../queries/cursor.ts';
import type { Page, PageRequest } from '../queries/page-of-rows.ts';
import { prepared } from '../queries/prepared.ts';
import { rowsOf } from '../queries/rows-of.ts';
import type { Session } from '../queries/session.ts';
import type { Schema } from '../schema.ts';

export interface SealedAuditRecord extends AuditRecord {
  /** null until the sealer has come to it. */
  seal: AuditSeal | null;
}

export interface AuditFilter {
  from?: number | undefined;
  to?: number | undefined;
  operation?: string | undefined;
  credentialId?: string | undefined;
  outcome?: string | undefined;
  target?: string | undefined;
}

/** `entry` is what is hashed. The other columns are its index. */
export const auditRecords = table('audit_records', ['recordId'], {
  recordId: text(),
  /** The account's id, or `service`. */
  logId: text(),
  accountId: orNull(text<AccountId>()),
  time,
  credentialKind: orNull(text()),
  credentialId: orNull(text()),
  operation: text(),
  /** Id of what was made or changed. */
  target: orNull(text()),
  /** `done`, or the slug of a refusal. */
  outcome: text(),
  /** The whole record as canonical JSON (services/audit/audit-entry.ts). */
  entry: text(),
});
export type AuditRecord = RecordOf<typeof auditRecords>;

export const auditSeals = table('audit_seals', ['position'], {
  logId: text(),
  /** Dense within the log, from 0. */
  position: integer,
  sequence: whole,
  recordId: text(),
  previousHash: bytes,
  /** RFC 6962 leaf hash of the entry. */
  leafHash: bytes,
  hash: bytes,
});
export type AuditSeal = RecordOf<typeof auditSeals>;

declare module '../schema.ts' {
  interface Schema {
    audit_records: RowOf<typeof auditRecords> & {
      sequence: Generated<bigint>;
      /** PostgreSQL: the transaction that wrote the row. 0 on SQLite, where rows commit in the order of their sequence. */
      written_by: Generated<bigint>;
    };
    audit_seals: RowOf<typeof auditSeals>;
  }
}

const LIST = 'audit';

const lastPosition = prepared((db, p: { logId: string }) =>
  db.selectFrom('audit_seals').select('position').where('log_id', '=', p.logId).orderBy('position', 'desc').limit(1n),
);
const newestSealed = prepared((db, _: object) =>
  db.selectFrom('audit_seals').select('sequence').orderBy('sequence', 'desc').limit(1n),
);
const countAfter = prepared((db, p: { logId: string; sequence: bigint }) =>
  db
    .selectFrom('audit_records')
    .select((eb) => eb.fn.countAll<bigint>().as('count'))
    // By the primary key: the index by log and time would go through the whole log.
    .where(sql<boolean>`${sql.ref('sequence')} > ${p.sequence}`)
    .where(sql<boolean>`${sql.ref('log_id')} || '' = ${p.logId}`),
);

export const records = rowsOf(auditRecords);
export const seals = rowsOf(auditSeals);

type SealColumns = Pick<Schema['audit_seals'], 'position' | 'previous_hash' | 'leaf_hash' | 'hash'>;
export type AuditRow = Selectable<Schema['audit_records']> & { [C in keyof SealColumns]: SealColumns[C] | null };

export const toSealedRecord = (row: AuditRow): SealedAuditRecord => ({
  ...records.record(row),
  seal: row.position === null ? null : seals.record(row as AuditRow & SealColumns),
});

type Records<O> = SelectQueryBuilder<Schema & { record: Schema['audit_records'] }, 'record', O>;

function matching<O>(records: Records<O>, logId: string, filter: AuditFilter): Records<O> {
  let found = records.where('record.log_id', '=', logId);
  if (filter.from !== undefined) found = found.where('record.time', '>=', BigInt(filter.from));
  if (filter.to !== undefined) found = found.where('record.time', '<', BigInt(filter.to));
  if (filter.operation !== undefined) found = found.where('record.operation', '=', filter.operation);
  if (filter.credentialId !== undefined) found = found.where('record.credential_id', '=', filter.credentialId);
  if (filter.outcome !== undefined) found = found.where('record.outcome', '=', filter.outcome);
  if (filter.target !== undefined) found = found.where('record.target', '=', filter.target);
  return found;
}

export async function listAudit(
  session: Session,
  logId: string,
  filter: AuditFilter,
  page: PageRequest,
): Promise<Page<SealedAuditRecord>> {
  let offset = page.offset;
  let rows = matching(session.db.selectFrom('audit_records as record') as unknown as Records<object>, logId, filter)
    .leftJoin('audit_seals as seal', 'seal.sequence', 'record.sequence')
    .selectAll('record')
    .select(['seal.position', 'seal.previous_hash', 'seal.leaf_hash', 'seal.hash'])
    .orderBy('record.time', 'desc')
    .orderBy('record.sequence', 'desc')
    .limit(BigInt(page.limit + 1));
  if (page.cursor === undefined) rows = rows.offset(BigInt(offset));
  else {
    const [time, sequence, at] = decodeCursor(LIST, ['count', 'count', 'count'], page.cursor);
    offset = at;
    rows = rows.where((eb) =>
      eb.or([
        eb('record.time', '<', BigInt(time)),
        eb.and([eb('record.time', '=', BigInt(time)), eb('record.sequence', '<', BigInt(sequence))]),
      ]),
    );
  }
  const filtered = Object.values(filter).some((value) => value !== undefined);
  const total = filtered ? await countMatching(session, logId, filter) : await countAll(session, logId);
  // Looking for nothing would go through the whole log again.
  const found = filtered && total === 0 ? [] : ((await rows.execute()) as AuditRow[]);
  const shown = found.slice(0, page.limit);
  const last = shown.at(-1);
  const hasMore = found.length > page.limit;
  return {
    data: shown.map(toSealedRecord),
    total: Math.max(total, offset + found.length),
    limit: page.limit,
    offset,
    hasMore,
    nextCursor:
      hasMore && last ? encodeCursor(LIST, [Number(last.time), Number(last.sequence), offset + shown.length]) : null,
  };
}

async function countMatching(session: Session, logId: string, filter: AuditFilter): Promise<number> {
  const records = session.db.selectFrom('audit_records as record') as unknown as Records<object>;
  const { count } = await matching(records, logId, filter)
    .select((eb) => eb.fn.countAll<bigint>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/**
 * What is sealed is counted by its position, and only what came after the newest seal of all logs is looked at, so that the cost does not
 * grow with the log. (One that commits late is missing from the count until it is sealed.)
 */
async function countAll(session: Session, logId: string): Promise<number> {
  const last = await lastPosition.first(session, { logId });
  const newest = (await newestSealed.first(session, {}))?.sequence ?? 0n;
  const waiting = await countAfter.first(session, { logId, sequence: newest });
  return Number(last === null ? 0n : last.position + 1n) + Number(waiting?.count ?? 0n);
}
