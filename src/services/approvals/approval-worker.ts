/**
 * Carries out what was approved, and ends what nobody approved in time: from the database alone, at the start, at an interval, and as soon
 * as it is woken; in one process of several.
 */
import type { Logger } from 'pino';
import { createWorker, type Worker } from '../../scheduling/worker.ts';
import type { ApprovalRecord } from '../../store/repositories/approvals.ts';
import type { Store } from '../../store/store.ts';
import { approvalEvent } from './approval-event.ts';
import type { SubjectOf } from './approval-subject.ts';

const INTERVAL_MS = 2_000;
/** Read in one round. */
const AT_ONCE = 50;

export function createApprovalWorker(deps: {
  store: Pick<Store, 'exclusively' | 'read' | 'write'>;
  subjectOf: SubjectOf;
  clock: () => number;
  log: Pick<Logger, 'info' | 'warn' | 'error'>;
}): Worker {
  const { store, subjectOf, clock, log } = deps;

  const expire = (due: ApprovalRecord): Promise<void> =>
    store.write(async (tx) => {
      const now = clock();
      const reason = 'nobody approved it in time';
      if (!(await tx.approvals.close(due, { status: 'expired', reason, closedAt: now }))) return;
      const closed = { ...due, status: 'expired' as const, reason, closedAt: now };
      await tx.events.append(approvalEvent(closed));
      await subjectOf(due.operation).ended(tx, closed, reason, now);
    });

  /** Each by itself: one that fails keeps no other back. The first failure is thrown when all had their turn. */
  async function round(signal: AbortSignal): Promise<void> {
    const failures: unknown[] = [];
    const each = async (approvals: readonly ApprovalRecord[], work: (one: ApprovalRecord) => Promise<void>) => {
      for (const one of inTurns(approvals)) {
        if (signal.aborted) return;
        await work(one).catch((error: unknown) => failures.push(error));
      }
    };
    await each(await store.read.approvals.due(clock(), AT_ONCE), expire);
    await each(await store.read.approvals.toDo(AT_ONCE), (one) => subjectOf(one.operation).carryOut(one, signal));
    if (failures.length > 0) throw failures[0];
  }

  return createWorker({
    ...{ name: 'approvals', log, clock, intervalMs: INTERVAL_MS, round },
    alone: (signal, rounds) => store.exclusively('approvals', signal, rounds),
    failed: 'what was approved cannot be carried out; trying on',
    recovered: 'what is approved is carried out again',
  });
}

/** Accounts by turns, each in its own order. */
function* inTurns(approvals: readonly ApprovalRecord[]): Generator<ApprovalRecord> {
  const byAccount = [...Map.groupBy(approvals, ({ accountId }) => accountId).values()];
  for (let turn = 0; byAccount.some((own) => turn < own.length); turn++) {
    for (const own of byAccount) if (own[turn] !== undefined) yield own[turn]!;
  }
}
