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

export function createRecordRefusal(deps: { store: Pick<Store, 'write'>; log: Pick<Logger, 'warn'> }): RecordRefusal {
  const { store, log } = deps;
  return async (context, slug) => {
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
