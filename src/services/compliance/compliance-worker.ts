import type { Logger } from 'pino';
import type { AccountId } from '../../core/ids.ts';
import { createWorker, type Worker } from '../../scheduling/worker.ts';
import type { Store } from '../../store/store.ts';
import { SERVICE_LOG } from '../audit/audit-entry.ts';
import type { WalkLog } from '../audit/walk-log.ts';
import type { ComplianceStatus } from './compliance-status.ts';

/** A round goes through so many records of logs, and so many accounts; all have their turn, one after another. */
const RECORDS = 5_000;
const ACCOUNTS = 50;
const EVERY_MS = 5_000;
/** From the beginning of one turn through all accounts to the next, where no log is left in the middle. */
const TURN_MS = 600_000;
const LOOK_EVERY_MS = 3_600_000;

/**
 * Verifies the audit logs again and again, and looks at each account's checks every hour, so that the time since which one stands as it
 * does is known where nobody asks. A log is gone on with in each turn.
 */
export function createComplianceWorker(deps: {
  store: Store;
  walkLog: WalkLog;
  look: ComplianceStatus['look'];
  log: Pick<Logger, 'info' | 'warn' | 'error'>;
  clock: () => number;
}): Worker {
  const { store, walkLog, look, log, clock } = deps;
  let left: { accountId: AccountId; platform: boolean }[] = [];
  let beganAt = Number.NEGATIVE_INFINITY;
  let lookedAt = Number.NEGATIVE_INFINITY;
  let looks = true;
  let isAllAtEnd = true;

  async function begin(): Promise<boolean> {
    if (left.length > 0) return true;
    if (isAllAtEnd && clock() - beganAt < TURN_MS) return false;
    beganAt = clock();
    looks = beganAt - lookedAt >= LOOK_EVERY_MS;
    if (looks) lookedAt = beganAt;
    isAllAtEnd = true;
    left = await store.read.accounts.list();
    return true;
  }

  async function verify(logId: string, most: number, signal: AbortSignal): Promise<number> {
    const { walk, records, isAtEnd, found } = await walkLog(logId, most, signal);
    if (!isAtEnd) isAllAtEnd = false;
    const { problem, problemPosition: position } = walk;
    if (found) log.error({ part: 'audit', logId, position, problem }, 'an audit log does not hold: it was changed');
    return records;
  }

  async function round(signal: AbortSignal): Promise<void> {
    if (!(await begin())) return;
    let records = 0;
    for (let accounts = 0; accounts < ACCOUNTS && records < RECORDS && !signal.aborted; accounts++) {
      const [account] = left;
      if (account === undefined) return;
      const { accountId, platform } = account;
      for (const logId of platform ? [accountId, SERVICE_LOG] : [accountId])
        records += await verify(logId, RECORDS - records, signal);
      if (looks) await look(accountId, { service: platform });
      left = left.slice(1);
    }
  }

  return createWorker({
    ...{ name: 'compliance', log, clock, round, intervalMs: EVERY_MS },
    failed: 'audit logs and checks of compliance could not be gone through',
    recovered: 'audit logs and checks of compliance are gone through again',
  });
}
