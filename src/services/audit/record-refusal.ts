import type { AccountId } from '../../core/ids.ts';
import { createOutage, type OutageLog } from '../../outages/outage.ts';
import type { Store } from '../../store/store.ts';
import { spendNonce } from '../requests/nonces.ts';
import { NO_ACCOUNT, type RequestContext } from '../requests/request-context.ts';
import { appendAudit } from './append-audit.ts';

/**
 * Records a refused request, in a job of its own. What was done and recorded before it failed is not recorded again; the log itself is asked,
 * because a record whose COMMIT failed is not there. Never throws: where it fails the refusal is answered all the same, and the log says so.
 */
export type RecordRefusal = (
  context: Pick<RequestContext, 'requestId' | 'accountId' | 'credential' | 'facts' | 'idempotency' | 'outcome'>,
  slug: string,
) => Promise<void>;

/**
 * Records a minute, in this process, of refusals in one log whose asker was not let in: unknown, or with a credential that is over. Addresses
 * are cheap, and each may fail a thousand times a minute: without an end to it outsiders could fill the disk with what can never be deleted.
 */
const MAX_OF_OUTSIDERS = 1_000;
const MINUTE_MS = 60_000;

export function createRecordRefusal(deps: {
  store: Pick<Store, 'write' | 'onAudit'>;
  clock: () => number;
  log: OutageLog;
}): RecordRefusal {
  const { store, clock, log } = deps;
  const lost = createOutage({
    ...{ part: 'audit log', log, clock },
    began: 'refusals cannot be written to the audit log',
    ended: 'refusals are written to the audit log again',
  });
  let unrecorded = 0;
  /** Whatever is recorded ends it: there may be no refusal for hours. */
  function works(): void {
    if (!lost.goesOn()) return;
    lost.ended({ unrecorded });
    unrecorded = 0;
  }
  store.onAudit(works);
  let minute = 0;
  /** By account; '' where it is unknown. */
  const ofOutsiders = new Map<string, number>();

  function begin(now: number): void {
    for (const [accountId, refused] of ofOutsiders) {
      if (refused <= MAX_OF_OUTSIDERS) continue;
      log.warn({ accountId, refused, recorded: MAX_OF_OUTSIDERS }, 'not every refusal of a minute was recorded');
    }
    minute = now;
    ofOutsiders.clear();
  }

  function isOneTooMany(accountId: AccountId, slug: string): boolean {
    if (accountId !== NO_ACCOUNT && slug !== 'unauthorized') return false;
    const now = Math.floor(clock() / MINUTE_MS);
    if (now !== minute) begin(now);
    const count = (ofOutsiders.get(accountId) ?? 0) + 1;
    ofOutsiders.set(accountId, count);
    return count > MAX_OF_OUTSIDERS;
  }

  return async (context, slug) => {
    if (isOneTooMany(context.accountId, slug)) return;
    try {
      await store.write(async (tx) => {
        const { recorded } = context.outcome;
        if (recorded !== null && (await tx.audit.find(recorded)) !== null) return;
        await spendNonce(tx, context);
        await appendAudit(tx, context, { outcome: slug, target: null });
      });
      works();
    } catch (error) {
      unrecorded++;
      lost.began(error);
    }
  };
}
