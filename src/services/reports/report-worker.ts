/**
 * Makes the reports that are queued: a slice at a time, accounts in turn, in one process at a time. What is made is committed piece by piece;
 * what a restart interrupted begins anew.
 */
import type { Logger } from 'pino';
import { DomainError } from '../../core/errors.ts';
import type { AccountId } from '../../core/ids.ts';
import { createWorkOutage, reasonOf } from '../../outages/outage.ts';
import { inBatches } from '../../scheduling/in-batches.ts';
import { createJobQueue, type Job } from '../../scheduling/job-queue.ts';
import type { Worker } from '../../scheduling/worker.ts';
import type { ReportId, ReportRecord } from '../../store/repositories/reports.ts';
import type { Store } from '../../store/store.ts';
import { rightsNow } from '../connections/may-read.ts';
import type { TextCipher } from '../secrets/text-cipher.ts';
import type { ReportContent } from './content.ts';
import type { Formats } from './formats/format.ts';
import { createMaking, type Making } from './make-report.ts';
import { MOST_BYTES, MOST_PIECES_AT_ONCE } from './report-bounds.ts';
import { type ReportType, rightMissing } from './report-type.ts';

const INTERVAL_MS = 5_000;
/** Accounts whose reports are under way at the same time. */
const MOST_ACCOUNTS = 8;
const AT_ONCE = { all: 2, ofAccount: 1 };
const FAILING_AT_ONCE = { all: 1, ofAccount: 1 };
/** Read in one round, the oldest of each account. */
const A_ROUND = 1_000;
const CALM_MS = 60_000;
const SLICE_MS = 500;
/** It fails each time, or takes the process with it. */
const MOST_BEGUN = 10;

type Begun = { readonly making: Making; readonly type: ReportType; readonly begun: number; readonly room: number };

export function createReportWorker(deps: {
  store: Store;
  typeOf: (report: Pick<ReportRecord, 'kind' | 'type'>) => ReportType | undefined;
  content: ReportContent;
  formats: Formats;
  cipher: TextCipher;
  clock: () => number;
  log: Pick<Logger, 'info' | 'warn' | 'error'>;
}): Worker {
  const { store, typeOf, content, formats, cipher, clock, log } = deps;
  const { read } = store;
  const under = new Map<string, Begun>();
  /** When each account had its last report done, in this process: whoever waits longest comes first. */
  const served = new Map<string, number>();
  /** Failed the last time: they hold no place of the others while they wait to be tried again. */
  const failing = new Set<string>();
  let turn = 0;

  async function begin(report: ReportRecord, signal: AbortSignal): Promise<Begun> {
    const { accountId, reportId, asked } = report;
    const type = typeOf(report);
    if (type === undefined)
      throw new DomainError('unsupported', `this version makes no reports of type ${report.type}`);
    if (report.begun >= MOST_BEGUN) throw new DomainError('unsupported', 'it could not be made: the log says why');
    await inBatches(MOST_PIECES_AT_ONCE, () =>
      store.write((tx) => tx.reports.deletePieces(report, MOST_PIECES_AT_ONCE)),
    );
    const begun = report.begun + 1;
    const fresh = { status: 'running' as const, begun, ...{ rowCount: 0, passed: 0, size: 0, stored: 0 } };
    await store.write((tx) => tx.reports.progress(report, { ...fresh, progressedAt: clock() }));
    const kept = await read.reports.kept(accountId);
    const others = kept.reduce((sum, one) => sum + (one.reportId === reportId ? 0 : one.stored), 0);
    const input = report.input === null ? null : cipher.decrypt(report.input, reportId);
    const source = { ...asked, read, accountId, input, signal, maker: report };
    const making = await createMaking({ report, type, source, content, formats, madeAt: clock() });
    return { making, type, begun, room: MOST_BYTES - others };
  }

  /** Whoever asked for it could read this then, and can now. */
  async function whyNot(report: ReportRecord, type: ReportType): Promise<string | null> {
    const now = await rightsNow(read, report, clock());
    if (now === null) return `${report.makerId}, which asked for it, was revoked or disabled, or has expired`;
    const missing =
      rightMissing(type, now) ?? rightMissing(type, { role: report.makerRole, scopes: report.makerScopes });
    return missing === null ? null : `${report.makerId}, which asked for it, does not have ${missing} any more`;
  }

  async function go(report: ReportRecord, signal: AbortSignal): Promise<'done' | 'more'> {
    const type = typeOf(report);
    const reason = type === undefined ? null : await whyNot(report, type);
    if (reason !== null) throw new DomainError('forbidden', reason);
    const known = under.get(report.reportId);
    const state = known?.begun === report.begun && report.begun > 0 ? known : await begin(report, signal);
    under.set(report.reportId, state);
    const { making, begun, room } = state;
    const since = performance.now();
    for (;;) {
      const { piece, isLast } = await making.next();
      const { stored } = making.progress();
      if (stored > room)
        throw new DomainError(
          'too_large',
          `the reports of an account have at most ${MOST_BYTES / 2 ** 30} GiB: delete others, or ask for a shorter time`,
        );
      const isOver = isLast || performance.now() - since >= SLICE_MS || signal.aborted;
      if (piece === null && !isOver) continue;
      const end = isLast ? { status: 'done' as const, closedAt: clock(), sha256: making.sha256() } : {};
      const patch = { ...making.progress(), progressedAt: clock(), ...end };
      const goesOn = await store.write(async (tx) => {
        if (!(await tx.reports.progress({ ...report, begun }, patch))) return false;
        if (piece !== null)
          await tx.reports.addPiece({ ...piece, accountId: report.accountId, reportId: report.reportId });
        return !isLast;
      });
      if (!goesOn) return 'done';
      if (isOver) return 'more';
    }
  }

  async function perform({ key, accountId }: Job, signal: AbortSignal): Promise<'done' | 'more' | 'later'> {
    const report = await read.reports.findWhole(accountId as AccountId, key as ReportId);
    if (report === null || report.closedAt !== null) return ended(key, accountId);
    if (!under.has(key) && under.size >= MOST_ACCOUNTS) return 'later';
    try {
      const outcome = await go(report, signal);
      failing.delete(key);
      return outcome === 'done' ? ended(key, accountId) : outcome;
    } catch (error) {
      giveUp(key);
      if (signal.aborted) throw error;
      if (!isFinal(error)) {
        failing.add(key);
        served.set(accountId, ++turn);
        if (isPassing(error)) await notCounted(report);
        throw error;
      }
      const end = { status: 'failed' as const, reason: error.message, closedAt: clock() };
      await store.write((tx) => tx.reports.close(report, end));
      return ended(key, accountId);
    }
  }

  /** Whatever it waits for does not end it. */
  async function notCounted({ accountId, reportId, begun: before }: ReportRecord): Promise<void> {
    const now = await read.reports.find(accountId, reportId);
    const begun = Math.max(before, now?.begun ?? 0);
    if (begun > 0) await store.write((tx) => tx.reports.progress({ accountId, reportId, begun }, { begun: begun - 1 }));
  }

  function giveUp(key: string): void {
    under.get(key)?.making.stop();
    under.delete(key);
  }

  function ended(key: string, accountId: string): 'done' {
    giveUp(key);
    failing.delete(key);
    served.set(accountId, ++turn);
    return 'done';
  }

  /** Those under way, and as many more as there is room for: of accounts whose last one was done longest ago. Beside them, those that fail. */
  async function due(): Promise<Job[]> {
    const all = (await read.reports.due(A_ROUND)).map(({ reportId: key, accountId }) => ({ key, accountId }));
    const accounts = new Set<string>(all.map(({ accountId }) => accountId));
    for (const accountId of served.keys()) if (!accounts.has(accountId)) served.delete(accountId);
    const rank = ({ key, accountId }: Job): number => (under.has(key) ? -1 : (served.get(accountId) ?? 0));
    const keys = new Set<string>(all.map(({ key }) => key));
    for (const key of failing) if (!keys.has(key)) failing.delete(key);
    const places = Math.max(MOST_ACCOUNTS, under.size);
    const sorted = all.toSorted((one, other) => rank(one) - rank(other));
    const turns = [
      ...sorted.filter(({ key }) => !failing.has(key)).slice(0, places),
      ...sorted.filter(({ key }) => failing.has(key)).map((job) => ({ ...job, isFailing: true })),
    ];
    for (const key of under.keys()) if (!turns.some((one) => one.key === key)) giveUp(key);
    return turns;
  }

  return createJobQueue<Job>({
    ...{ name: 'reports', log, clock, intervalMs: INTERVAL_MS, atOnce: AT_ONCE, failingAtOnce: FAILING_AT_ONCE },
    failed: 'queued reports could not be read',
    recovered: 'queued reports are read again',
    failing: createWorkOutage({
      ...{ part: 'reports', log, clock, calmMs: CALM_MS },
      began: 'a report fails; trying again',
      ended: 'reports are made again',
    }),
    named: ({ key: reportId, accountId }, { attempts, error }) =>
      log.warn({ reportId, accountId, attempts, ...reasonOf(error) }, 'a report cannot be made; trying again'),
    alone: (signal, rounds) =>
      store.exclusively('reports', signal, (held) => {
        // Another process may have begun them again meanwhile.
        for (const key of under.keys()) giveUp(key);
        return rounds(held);
      }),
    due,
    perform,
  });
}

const PASSING = ['unavailable', 'node_unavailable', 'node_syncing'];
const isPassing = (error: unknown): boolean => error instanceof DomainError && PASSING.includes(error.code);
const isFinal = (error: unknown): error is DomainError => error instanceof DomainError && !isPassing(error);
