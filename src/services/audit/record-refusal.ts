import type { Logger } from 'pino';
import type { Store } from '../../store/store.ts';
import { spendNonce } from '../requests/nonces.ts';
import type { RequestContext } from '../requests/request-context.ts';
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
 * Records a minute of refusals whose account is unknown, in this process. Addresses are cheap, and each may fail a thousand times a
 * minute: without an end to it outsiders could fill the disk with what can never be deleted.
 */
const MOST_OF_NOBODY = 1_000;
const MINUTE_MS = 60_000;

export function createRecordRefusal(deps: {
  store: Pick<Store, 'write'>;
  clock: () => number;
  log: Pick<Logger, 'warn'>;
}): RecordRefusal {
  const { store, clock, log } = deps;
  const ofNobody = { minute: 0, count: 0 };

  function isOneTooMany({ accountId }: Pick<RequestContext, 'accountId'>): boolean {
    if (accountId !== '') return false;
    const minute = Math.floor(clock() / MINUTE_MS);
    if (minute !== ofNobody.minute) {
      if (ofNobody.count > MOST_OF_NOBODY) {
        log.warn({ refused: ofNobody.count, recorded: MOST_OF_NOBODY }, 'not every refusal of a minute was recorded');
      }
      Object.assign(ofNobody, { minute, count: 0 });
    }
    return ++ofNobody.count > MOST_OF_NOBODY;
  }

  return async (context, slug) => {
    if (isOneTooMany(context)) return;
    try {
      await store.write(async (tx) => {
        const { recorded } = context.outcome;
        if (recorded !== null && (await tx.audit.find(recorded.logId, recorded.recordId)) !== null) return;
        await spendNonce(tx, context);
        await appendAudit(tx, context, { outcome: slug, target: null });
      });
    } catch (error) {
      const { requestId, facts } = context;
      log.warn(
        { err: error, request_id: requestId, operation: facts.operation, outcome: slug },
        'a refusal could not be written to the audit log',
      );
    }
  };
}
