/** Reports: asked for, shown, read and cancelled by requests; the worker makes them. */
import { DomainError } from '../../core/errors.ts';
import { newId } from '../../core/ids.ts';
import type { ReportFormat, ReportKind, ReportStatus } from '../../core/reports/report-names.ts';
import { inBatches } from '../../scheduling/in-batches.ts';
import type { Page, PageRequest } from '../../store/records.ts';
import type { AskedReport, ListedReport, ReportId, ReportRecord } from '../../store/repositories/reports.ts';
import type { Repositories, Store } from '../../store/store.ts';
import { recordRead } from '../audit/record-read.ts';
import { askerOf } from '../policies/gate.ts';
import { recordRequest } from '../requests/record-request.ts';
import type { RequestContext } from '../requests/request-context.ts';
import type { TextCipher } from '../secrets/text-cipher.ts';
import { madeBy } from '../webhooks/webhook-rights.ts';
import type { ReportContent } from './content.ts';
import { isCompressed } from './formats/format.ts';
import { KEPT_MS, MOST_BYTES, MOST_KEPT, MOST_OPEN, MOST_PIECES_AT_ONCE, RECORD_KEPT_MS } from './report-bounds.ts';
import { type ReportType, rightMissing } from './report-type.ts';

/** Closed in one job. */
const SWEPT = 100;

export interface NewReport extends Omit<AskedReport, 'from' | 'to' | 'options'> {
  /** Of what is of the present: undefined. */
  readonly from: number | undefined;
  readonly kind: ReportKind;
  readonly type: string;
  readonly format: ReportFormat;
  readonly to: number | undefined;
  readonly options?: AskedReport['options'];
  /** A file that this type reads. */
  readonly input?: string | null;
}

export type ShownReport = ListedReport & { readonly expiresAt: number | null };

export interface OpenReport extends ShownReport {
  readonly sha256: string;
  readonly pieces: AsyncGenerator<Buffer>;
}

export function createReportService(deps: {
  store: Store;
  typeOf: (report: Pick<ReportRecord, 'kind' | 'type'>) => ReportType | undefined;
  content: ReportContent;
  cipher: TextCipher;
  clock: () => number;
  randomBytes: (size: number) => Uint8Array;
  onQueued: () => void;
}) {
  const { store, typeOf, content, cipher, clock, randomBytes } = deps;
  const { read } = store;

  const shown = (report: ListedReport): ShownReport => {
    const expiresAt = report.status === 'done' ? (report.closedAt as number) + KEPT_MS : null;
    const status: ReportStatus = expiresAt !== null && expiresAt <= clock() ? 'expired' : report.status;
    return { ...report, status, expiresAt };
  };

  async function found(kind: ReportKind, reportId: ReportId, { accountId }: RequestContext): Promise<ShownReport> {
    const report = await read.reports.find(accountId, reportId);
    if (report === null || report.kind !== kind) throw missing();
    return shown(report);
  }

  /** Who may not read what is in it can neither ask for it nor take it away. */
  function assertMayRead(report: Pick<ReportRecord, 'kind' | 'type'>, { credential }: RequestContext): ReportType {
    const type = typeOf(report);
    if (type === undefined) throw new DomainError('gone', `this version makes no reports of type ${report.type}`);
    const right = rightMissing(type, credential);
    if (right === null) return type;
    throw new DomainError(
      'forbidden',
      `a report of type ${type.name} takes ${right}, which this credential does not have`,
      {
        field: 'type',
      },
    );
  }

  async function assertWallets(type: ReportType, wallets: AskedReport['wallets'], { accountId }: RequestContext) {
    if (wallets === null) return;
    if (!type.ofWallets)
      throw new DomainError('invalid_value', `must be absent: ${type.name} is of the whole account`, {
        field: 'wallets',
      });
    for (const [at, walletId] of wallets.entries())
      if ((await read.wallets.find(accountId, walletId)) === null)
        throw new DomainError('not_found', 'there is no such wallet', { field: `wallets[${at}]` });
  }

  /** Its record stays, and says what became of it. */
  async function discard(report: Pick<ListedReport, 'accountId' | 'reportId'>, status: ReportStatus): Promise<void> {
    await inBatches(MOST_PIECES_AT_ONCE, () =>
      store.write((tx) => tx.reports.deletePieces(report, MOST_PIECES_AT_ONCE)),
    );
    await store.write((tx) => tx.reports.update(report, { status, stored: 0 }));
  }

  async function makeRoom(tx: Repositories, { accountId, kind }: ReportRecord): Promise<void> {
    const all = await tx.reports.kept(accountId);
    if (all.filter((one) => one.isOpen && one.kind === kind).length >= MOST_OPEN)
      throw new DomainError(
        'state_conflict',
        `${MOST_OPEN} ${kind} reports are being made: wait until one is done, or cancel one`,
      );
    if (all.reduce((sum, { stored }) => sum + stored, 0) >= MOST_BYTES)
      throw new DomainError('state_conflict', `the account's reports have ${MOST_BYTES / 2 ** 30} GiB: delete one`);
    const spare = all.filter(({ isOpen, stored }) => !isOpen && stored === 0);
    const over = all.length + 1 - MOST_KEPT;
    if (over > spare.length)
      throw new DomainError('state_conflict', `the account has ${MOST_KEPT} reports: delete one`);
    for (const { reportId } of spare.slice(0, Math.max(0, over))) await tx.reports.delete({ accountId, reportId });
  }

  return {
    /** Throws `invalid_value`, `not_found`, `forbidden`, `policy_denied`, `state_conflict`, and what its type finds wrong. */
    async create(asked: NewReport, context: RequestContext): Promise<ShownReport> {
      const { accountId, credential } = context;
      const { kind, type: name, format, timezone, wallets, options = {}, input = null } = asked;
      const type = assertMayRead({ kind, type: name }, context);
      const to = Math.min(asked.to ?? clock(), clock());
      const from = type.ofNow ? to : asked.from;
      if (from === undefined) throw new DomainError('invalid_value', 'must be given', { field: 'from' });
      if (type.file && type.file.format !== format)
        throw new DomainError('invalid_value', `must be ${type.file.format}: ${name} is a file of its own`, {
          field: 'format',
        });
      if (from >= to && !type.ofNow)
        throw new DomainError('invalid_value', 'must be earlier than `to` and than now', { field: 'from' });
      await assertWallets(type, wallets, context);
      const about = { from, to, timezone, wallets, options };
      await type.check?.({ ...about, read, accountId, input, asker: askerOf(context) });
      const reportId = newId('rep', randomBytes);
      const report: ReportRecord = {
        ...{ reportId, accountId, kind, type: name, format, asked: about, ...madeBy(credential) },
        input: input === null ? null : cipher.encrypt(input, reportId),
        ...{ status: 'queued', reason: null, begun: 0, rowCount: 0, passed: 0, toPass: null, size: 0, stored: 0 },
        ...{ sha256: null, createdAt: clock(), progressedAt: clock(), closedAt: null },
      };
      const result = shown(report);
      await store.write(async (tx) => {
        await makeRoom(tx, report);
        await tx.reports.insert(report);
        await recordRequest(tx, context, { result, target: reportId });
      });
      deps.onQueued();
      return result;
    },

    get: found,

    /** Newest first. */
    async page(kind: ReportKind, page: PageRequest, { accountId }: RequestContext): Promise<Page<ShownReport>> {
      const { data, ...rest } = await read.reports.page(accountId, kind, page);
      return { ...rest, data: data.map(shown) };
    },

    /** Throws `state_conflict` until it is done, `gone` where it is not kept any more, `forbidden`. */
    async open(kind: ReportKind, reportId: ReportId, context: RequestContext): Promise<OpenReport> {
      const report = await found(kind, reportId, context);
      const { audited = false } = assertMayRead(report, context);
      const { status, reason, sha256 } = report;
      if (status === 'expired' || status === 'cancelled')
        throw new DomainError('gone', `the report is ${status}: its content has been deleted`, { field: 'report_id' });
      if (status !== 'done' || sha256 === null)
        throw new DomainError(
          'state_conflict',
          `the report is ${status}${reason === null ? ': its content is there when it is done' : `: ${reason}`}`,
          { field: 'report_id' },
        );
      if (audited) await recordRead(store, context, reportId);
      return { ...report, sha256, pieces: content.open(read, report, isCompressed(report.format)) };
    },

    /** It stops, and its content is deleted. */
    async cancel(kind: ReportKind, reportId: ReportId, context: RequestContext): Promise<null> {
      const report = await found(kind, reportId, context);
      const { credential } = context;
      const isOwn = report.makerKind === credential.kind && report.makerId === credential.id;
      if (!isOwn) assertMayRead(report, context);
      await store.write(async (tx) => {
        if (!(await tx.reports.close(report, { status: 'cancelled', closedAt: clock() })))
          await tx.reports.update(report, { status: 'cancelled' });
        await recordRequest(tx, context, { result: null, target: reportId });
      });
      await discard(report, 'cancelled');
      return null;
    },

    /** Deletes what has expired, or came to nothing; returns how many. */
    async sweep(): Promise<number> {
      const over = await read.reports.over(clock() - KEPT_MS, SWEPT);
      for (const report of over) await discard(report, report.status === 'done' ? 'expired' : report.status);
      const forgotten = await inBatches(SWEPT, () =>
        store.write((tx) => tx.reports.deleteClosed(clock() - RECORD_KEPT_MS, SWEPT)),
      );
      return over.length + forgotten;
    },
  };
}
export type Reports = ReturnType<typeof createReportService>;

const missing = (): DomainError => new DomainError('not_found', 'there is no such report', { field: 'report_id' });
