/** The audit log as it is read and proved. Whoever asks sees the log of the own account; the platform's account the service's besides. */
import { DomainError } from '../../core/errors.ts';
import type { PageRequest } from '../../store/records.ts';
import type { AuditHead } from '../../store/repositories/audit.ts';
import type { AuditFilter, SealedAuditRecord } from '../../store/repositories/audit-pages.ts';
import type { Store } from '../../store/store.ts';
import type { RequestContext } from '../requests/request-context.ts';
import type { AnchorProofs } from './anchor-proofs.ts';
import { SERVICE_LOG } from './audit-entry.ts';
import { logKeyViews } from './audit-log-keys.ts';
import { createExportLog, type ExportLog } from './export-log.ts';
import type { LogKeys } from './log-keys.ts';
import { consistencyProof, inclusionProof } from './tree.ts';
import type { TreeHeads } from './tree-heads.ts';

export type { AuditHead, SealedAuditRecord };

/** `account`: the caller's own. `service`: of requests whose account is unknown, for the platform's account. */
export type AuditLogName = 'account' | 'service';

export interface AuditProof {
  readonly record: SealedAuditRecord;
  readonly position: number;
  readonly leafHash: Uint8Array;
  readonly head: AuditHead;
  readonly proof: readonly Uint8Array[];
}

type Asking = Pick<RequestContext, 'accountId' | 'platform' | 'credential'>;

export function createAuditLog(deps: { store: Store; heads: TreeHeads; keys: LogKeys; anchorProofs: AnchorProofs }) {
  const { store, heads, keys } = deps;
  const { read } = store;
  const exportLog: ExportLog = createExportLog(deps);

  async function require(log: AuditLogName, recordId: string, context: Asking): Promise<SealedAuditRecord> {
    const record = await read.audit.find({ logId: logIdOf(log, context), recordId });
    if (record === null) throw new DomainError('not_found', `there is no audit record ${recordId}`);
    return record;
  }

  return {
    /** Newest first. All throw `forbidden` for the service's log where the caller may not see it. */
    list: async (log: AuditLogName, filter: AuditFilter, page: PageRequest, context: Asking) =>
      read.audit.list(logIdOf(log, context), filter, page),
    /** Throws `not_found`. */
    get: require,
    /** Against the oldest head that covers the record, or one signed now. Throws `not_found`, and `state_conflict` before the record is sealed. */
    async prove(log: AuditLogName, recordId: string, { fresh }: { fresh: boolean }, context: Asking) {
      const record = await require(log, recordId, context);
      const { logId, seal } = record;
      if (seal === null) {
        throw new DomainError('state_conflict', 'the record is not sealed yet: that takes less than a second', {
          field: 'record_id',
          retryAfterSeconds: 1,
        });
      }
      const head = fresh ? await heads.fresh(logId) : await heads.covering(logId, seal.position);
      const proof = await inclusionProof(read, logId, seal.position, head.size);
      return { record, position: seal.position, leafHash: seal.leafHash, head, proof };
    },
    /** A head of now. Throws `invalid_value` where `fromSize` is 0 or beyond it. */
    async checkpoint(log: AuditLogName, fromSize: number | null, context: Asking) {
      const logId = logIdOf(log, context);
      const head = await heads.fresh(logId);
      if (fromSize !== null && (fromSize < 1 || fromSize > head.size)) {
        throw new DomainError(
          'invalid_value',
          `from_size must be between 1 and ${head.size}, the present size of the log`,
          { field: 'query.from_size' },
        );
      }
      const consistency =
        fromSize === null ? null : { fromSize, proof: await consistencyProof(read, logId, fromSize, head.size) };
      return { head, keys: await logKeyViews(keys, logId), consistency };
    },
    /** Text in pieces of some hundred lines, up to a head signed now. */
    export: async (log: AuditLogName, context: Asking) => exportLog(logIdOf(log, context)),
  };
}

export type AuditLog = ReturnType<typeof createAuditLog>;

export function logIdOf(log: AuditLogName, { accountId, platform, credential }: Asking): string {
  if (log === 'account') return accountId;
  if (platform && credential.role === 'admin') return SERVICE_LOG;
  throw new DomainError(
    'forbidden',
    "the service's own log is for administrators of the account that runs the service",
  );
}
