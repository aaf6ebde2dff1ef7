/** What is changed without a request, at the database itself: by the `ashlar` command, or by the service at its first start. */
import type { AccountId } from '../../core/ids.ts';
import type { Repositories } from '../../store/store.ts';
import { appendEntry } from './append-audit.ts';
import type { AuditedCredential } from './audit-entry.ts';

interface RecordedChange {
  /** Operation id: that of the request which would do the same, where there is one. */
  readonly operation: string;
  /** Whose log it belongs to; null: the service's own. */
  readonly accountId: AccountId | null;
  /** Id of what was made or changed. */
  readonly target: string | null;
  /** What the record fixes besides. */
  readonly commitment?: string;
}

/** Called in the job of the change, so that both are there, or neither. */
export type RecordChange = (tx: Pick<Repositories, 'audit'>, change: RecordedChange) => Promise<void>;

export const recordChangesBy =
  (who: Pick<AuditedCredential, 'kind' | 'id'>): RecordChange =>
  async (tx, change) => {
    const credential = { ...who, requireSignature: false };
    await appendEntry(tx, { ...change, credential, request: null, outcome: 'done' });
  };

/** For services that only requests and tests use: a request's record is written by recordRequest. */
export const recordsNothing: RecordChange = async () => {};
