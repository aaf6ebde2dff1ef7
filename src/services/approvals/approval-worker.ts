/**
 * Carries out what was approved and expires what was not approved in time. It works from the database alone: at the start, at an interval and
 * when woken; in one process of several, accounts in turn.
 */
import type { Logger } from 'pino';
import { DomainError } from '../../core/errors.ts';
import type { AccountId, ApprovalId } from '../../core/ids.ts';
import { createWorkOutage, reasonOf } from '../../outages/outage.ts';
import { createJobQueue, type Job } from '../../scheduling/job-queue.ts';
import { untilAborted } from '../../scheduling/on-abort.ts';
import type { Worker } from '../../scheduling/worker.ts';
import type { ApprovalRecord } from '../../store/repositories/approvals.ts';
import type { Repositories, Store } from '../../store/store.ts';
import { approvalEvent } from './approval-event.ts';
import { AccountFrozen, type SubjectOf } from './approval-subject.ts';
import { whyNotDone } from './judge-again.ts';
import { failApproval } from './open-approval.ts';
import type { ReadRules } from './vote.ts';

const INTERVAL_MS = 2_000;
/** Delay to the next round if more is left than a round reads. */
const SOON_MS = 250;
/** Approvals of each kind per round: one account's that cannot be carried out leave room for the others'. */
const A_ROUND = { ofEach: 100, all: 1_000 };
/**
 * One after the other within an account, whose payments share coins and limits. What first asks oracles elsewhere (`ofHost`) leaves places for
 * the rest: servers that do not answer hold up nothing else.
 */
const AT_ONCE = { all: 6, ofAccount: 1, ofHost: 2 };
const ASKS_ORACLES: readonly string[] = ['contract_offer', 'contract_accept', 'contract_sign'];
/** One that fails among others that do not is one outage. */
const CALM_MS = 60_000;

interface Due extends Job {
  readonly accountId: AccountId;
  readonly approvalId: ApprovalId;
  readonly operation: string;
}

export function createApprovalWorker(deps: {
  store: Pick<Store, 'exclusively' | 'read' | 'write'>;
  subjectOf: SubjectOf;
  rulesOf: ReadRules;
  intervalMs?: number | undefined;
  clock: () => number;
  log: Pick<Logger, 'info' | 'warn' | 'error'>;
}): Worker {
  const { store, subjectOf, rulesOf, clock, log } = deps;
  const { approvals } = store.read;

  const expire = (due: ApprovalRecord): Promise<void> =>
    store.write(async (tx) => {
      const now = clock();
      const reason = 'nobody approved it in time';
      await subjectOf(due).hold?.(tx, due);
      if (!(await tx.approvals.close(due, { status: 'expired', reason, closedAt: now }))) return;
      const closed = { ...due, status: 'expired' as const, reason, closedAt: now };
      await tx.events.append(approvalEvent(closed));
      await subjectOf(due).ended(tx, closed, reason, now);
    });

  /** Locks in the order of all jobs. */
  async function whyNot(tx: Repositories, due: ApprovalRecord, now: number): Promise<string | null> {
    const subject = subjectOf(due);
    await tx.enterpriseConfig.lock(due.accountId);
    await subject.hold?.(tx, due);
    return whyNotDone(tx, subject, due, { rules: await rulesOf(tx, due.accountId), now });
  }

  /** Before anything is signed. False if it may no longer be carried out; the approval and what waits for it have then failed. */
  const stillAllowed = (due: ApprovalRecord): Promise<boolean> =>
    store.write(async (tx) => {
      const now = clock();
      const reason = await whyNot(tx, due, now);
      if (reason === null) return true;
      if (!(await failApproval(tx, due, reason, now))) return false;
      await subjectOf(due).ended(tx, { ...due, status: 'failed', reason, closedAt: now }, reason, now);
      return false;
    });

  const carryOut = (due: ApprovalRecord, signal: AbortSignal): Promise<void> =>
    subjectOf(due).carryOut(due, signal, async (tx) => {
      const reason = await whyNot(tx, due, clock());
      if (reason !== null) throw new DomainError('policy_denied', reason);
      if (await isFrozen(tx, due.accountId)) throw new AccountFrozen();
    });

  const worker: Worker = createJobQueue<Due>({
    ...{ name: 'approvals', log, clock, intervalMs: deps.intervalMs ?? INTERVAL_MS, atOnce: AT_ONCE },
    failed: 'approved and expired approvals could not be read',
    recovered: 'approved and expired approvals are read again',
    failing: createWorkOutage({
      ...{ part: 'approvals', log, clock, calmMs: CALM_MS },
      began: 'what was approved cannot be carried out; trying again',
      ended: 'approved operations are carried out again',
    }),
    named: ({ approvalId, accountId, operation: kind }, { attempts, error }) =>
      log.warn(
        { approvalId, accountId, kind, attempts, ...reasonOf(error) },
        'an approval cannot be carried out or ended; trying again',
      ),
    alone: (signal, rounds) => store.exclusively('approvals', signal, rounds),
    async due() {
      const [over, approved] = [await approvals.due(clock(), A_ROUND), await approvals.toDo(A_ROUND)];
      if (over.length >= A_ROUND.ofEach || approved.length >= A_ROUND.ofEach) worker.wake(SOON_MS);
      const hostOf = ({ operation }: Pick<Due, 'operation'>) =>
        ASKS_ORACLES.includes(operation) ? 'oracles' : undefined;
      return [...approved, ...over].map((one) => ({ ...one, key: one.approvalId, host: hostOf(one) }));
    },
    async perform({ accountId, approvalId }, signal) {
      const approval = await approvals.find(accountId, approvalId);
      if (approval?.status === 'pending') await expire(approval);
      if (approval?.status !== 'approved' || approval.doneAt !== null) return 'done';
      const ready = subjectOf(approval).ready?.();
      if (ready !== undefined) await untilAborted(ready, signal);
      if (!(await stillAllowed(approval))) return 'done';
      // Continues when the account is no longer frozen.
      if (await isFrozen(store.read, accountId)) return 'done';
      await carryOut(approval, signal).catch((error) => {
        if (!(error instanceof AccountFrozen)) throw error;
      });
      return 'done';
    },
  });
  return worker;
}

const isFrozen = async ({ accounts }: Pick<Repositories, 'accounts'>, accountId: AccountId): Promise<boolean> =>
  (await accounts.find(accountId))?.frozenAt !== null;
