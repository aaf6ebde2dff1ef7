import { sql } from 'kysely';
import type { Role } from '../../core/access.ts';
import type { AccountId, Id, WalletId } from '../../core/ids.ts';
import type { ReportFormat, ReportKind, ReportStatus } from '../../core/reports/report-names.ts';
import { bytes, integer, json, orNull, type RecordOf, type RowOf, table, text, time } from '../queries/columns.ts';
import type { PageRequest } from '../queries/page-of-rows.ts';
import { prepared } from '../queries/prepared.ts';
import { rowsOf } from '../queries/rows-of.ts';
import type { Session } from '../queries/session.ts';

export type ReportId = Id<'rep'>;

/** What a report is about. */
export interface AskedReport {
  /** Epoch milliseconds; `to` is not included. */
  readonly from: number;
  readonly to: number;
  readonly timezone: string;
  /** null: all of the account. */
  readonly wallets: readonly WalletId[] | null;
  /** What only this type asks for. */
  readonly options: Readonly<Record<string, unknown>>;
}

const reportsTable = table('reports', ['reportId'], {
  reportId: text<ReportId>(),
  accountId: text<AccountId>(),
  kind: text<ReportKind>(),
  type: text(),
  format: text<ReportFormat>(),
  asked: json<AskedReport>(),
  /** What was uploaded with the request, encrypted. */
  input: orNull(text()),
  makerKind: text<'api_key' | 'oauth_client' | 'person'>(),
  makerId: text(),
  makerRole: text<Role>(),
  makerScopes: json<readonly string[]>(),
  status: text<ReportStatus>(),
  reason: orNull(text()),
  /** How often it was begun. */
  begun: integer,
  rowCount: integer,
  /** Records that it went through, of so many; null: not counted yet. */
  passed: integer,
  toPass: orNull(integer),
  /** Bytes of its content, and as they are stored. */
  size: integer,
  stored: integer,
  /** Of its content, hex. */
  sha256: orNull(text()),
  createdAt: time,
  progressedAt: time,
  closedAt: orNull(time),
});
export type ReportRecord = RecordOf<typeof reportsTable>;
/** Without what was uploaded, which may be large. */
export type ListedReport = Omit<ReportRecord, 'input'>;

const piecesTable = table('report_pieces', ['place'], {
  reportId: text<ReportId>(),
  accountId: text<AccountId>(),
  place: integer,
  content: bytes,
});

declare module '../schema.ts' {
  interface Schema {
    reports: RowOf<typeof reportsTable>;
    report_pieces: RowOf<typeof piecesTable>;
  }
}

const reports = rowsOf(reportsTable);
const listed = rowsOf(reportsTable, '', undefined, ['input']);
const pieces = rowsOf(piecesTable);

/** The oldest of each account that is not done. */
const due = prepared((db, p: { limit: bigint }) =>
  db
    .selectFrom('reports')
    .select(['account_id', 'report_id', 'progressed_at'])
    .where('closed_at', 'is', null)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('reports as older')
            .select('older.report_id')
            .whereRef('older.account_id', '=', 'reports.account_id')
            .where('older.closed_at', 'is', null)
            .where((of) =>
              of.or([
                of('older.created_at', '<', of.ref('reports.created_at')),
                of.and([
                  of('older.created_at', '=', of.ref('reports.created_at')),
                  of('older.report_id', '<', of.ref('reports.report_id')),
                ]),
              ]),
            ),
        ),
      ),
    )
    .orderBy('created_at')
    .limit(p.limit),
);
const over = prepared((db, p: { before: bigint; limit: bigint }) =>
  db
    .selectFrom('reports')
    .select(['account_id', 'report_id', 'status'])
    .where(sql<boolean>`stored > 0`)
    .where('closed_at', 'is not', null)
    .where((eb) => eb.or([eb('status', '<>', 'done'), eb('closed_at', '<', p.before)]))
    .orderBy('closed_at')
    .limit(p.limit),
);
const forgotten = prepared((db, p: { before: bigint; limit: bigint }) =>
  db
    .selectFrom('reports')
    .select(['account_id', 'report_id'])
    .where('closed_at', '<', p.before)
    .where('stored', '=', 0n)
    .orderBy('closed_at')
    .limit(p.limit),
);
const kept = prepared((db, p: { accountId: AccountId }) =>
  db
    .selectFrom('reports')
    .select(['report_id', 'kind', 'closed_at', 'stored'])
    .where('account_id', '=', p.accountId)
    .orderBy('created_at')
    .orderBy('report_id'),
);
const deletePieces = prepared((db, p: { accountId: AccountId; reportId: ReportId; limit: bigint }) =>
  db
    .deleteFrom('report_pieces')
    .where('report_id', '=', p.reportId)
    .where('account_id', '=', p.accountId)
    .where('place', 'in', (eb) =>
      eb
        .selectFrom('report_pieces')
        .select('place')
        .where('report_id', '=', p.reportId)
        .where('account_id', '=', p.accountId)
        .orderBy('place')
        .limit(p.limit),
    ),
);

type Progress = Partial<
  Pick<
    ReportRecord,
    | 'status'
    | 'reason'
    | 'begun'
    | 'rowCount'
    | 'passed'
    | 'toPass'
    | 'size'
    | 'stored'
    | 'sha256'
    | 'progressedAt'
    | 'closedAt'
  >
>;
type Key = Pick<ReportRecord, 'accountId' | 'reportId'>;

/** What was uploaded is personal data: it goes when the report ends. */
const closing = (patch: Progress) => (patch.closedAt == null ? patch : { ...patch, input: null });

export function reportRepository(session: Session) {
  return {
    insert: async (report: ReportRecord) => {
      await reports.insert(session, [report]);
    },
    find: (accountId: AccountId, reportId: ReportId) => listed.find(session, { accountId, reportId }),
    /** With what was uploaded. */
    findWhole: (accountId: AccountId, reportId: ReportId) => reports.find(session, { accountId, reportId }),
    /** Of every kind, the oldest first. */
    kept: async (accountId: AccountId) =>
      (await kept.all(session, { accountId })).map((row) => ({
        ...{ reportId: row.report_id as ReportId, kind: row.kind as ReportKind },
        ...{ isOpen: row.closed_at === null, stored: Number(row.stored) },
      })),
    /** Newest first. */
    page: (accountId: AccountId, kind: ReportKind, page: PageRequest) =>
      listed.page(session, { name: `${kind}-reports`, where: { accountId, kind } }, page),
    /** The oldest of each account that is not done. */
    due: async (limit: number) =>
      (await due.all(session, { limit: BigInt(limit) })).map((row) => ({
        accountId: row.account_id as AccountId,
        reportId: row.report_id as ReportId,
        progressedAt: Number(row.progressed_at),
      })),
    /** False if it has ended, or was begun again. */
    progress: async ({ accountId, reportId, begun }: Key & Pick<ReportRecord, 'begun'>, patch: Progress) =>
      (await reports.update(session, { accountId, reportId, begun, closedAt: null }, closing(patch))) > 0n,
    /** False if it has ended. */
    close: async ({ accountId, reportId }: Key, patch: Progress & Pick<ReportRecord, 'status' | 'closedAt'>) =>
      (await reports.update(session, { accountId, reportId, closedAt: null }, closing(patch))) > 0n,
    /** Of one that has ended. */
    update: async ({ accountId, reportId }: Key, patch: Partial<Pick<ReportRecord, 'status' | 'stored'>>) => {
      await reports.update(session, { accountId, reportId }, { ...patch, input: null });
    },
    addPiece: async (piece: RecordOf<typeof piecesTable>) => {
      await pieces.insert(session, [piece]);
    },
    piece: async ({ accountId, reportId }: Key, place: number) =>
      (await pieces.find(session, { accountId, reportId, place }))?.content ?? null,
    /** The first ones; answers how many there were. */
    deletePieces: async ({ accountId, reportId }: Key, limit: number) =>
      Number(await deletePieces.run(session, { accountId, reportId, limit: BigInt(limit) })),
    /** Its pieces are deleted. */
    delete: async ({ accountId, reportId }: Key) => {
      await reports.delete(session, { accountId, reportId });
    },
    /** Ended before this time, or came to nothing, and still have pieces. */
    over: async (before: number, limit: number) =>
      (await over.all(session, { before: BigInt(before), limit: BigInt(limit) })).map((row) => ({
        accountId: row.account_id as AccountId,
        reportId: row.report_id as ReportId,
        status: row.status as ReportStatus,
      })),
    /** Deletes those without pieces that ended before this time; answers how many. */
    deleteClosed: async (before: number, limit: number): Promise<number> => {
      const rows = await forgotten.all(session, { before: BigInt(before), limit: BigInt(limit) });
      for (const { account_id, report_id } of rows)
        await reports.delete(session, { accountId: account_id as AccountId, reportId: report_id as ReportId });
      return rows.length;
    },
  };
}
