import { randomBytes } from 'node:crypto';
import { newId } from '../../core/ids.ts';
import { SERVICE_LOG } from '../../store/interfaces/audit.ts';
import type { Repositories } from '../../store/store.ts';
import type { RequestContext } from '../requests/request-context.ts';
import { auditEntry } from './audit-entry.ts';

export interface AuditedOutcome {
  /** `done`, or the slug of a refusal. */
  readonly outcome: string;
  /** Id of what was made or changed. */
  readonly target: string | null;
  /** Who it was, where the context does not know. */
  readonly as?: Pick<RequestContext, 'accountId' | 'credential'> | undefined;
}

/** Appends what became of a request to its account's log, or to the service's own where the account is unknown. */
export async function appendAudit(
  tx: Pick<Repositories, 'audit'>,
  context: Pick<RequestContext, 'requestId' | 'accountId' | 'credential' | 'facts'>,
  { outcome, target, as = context }: AuditedOutcome,
): Promise<void> {
  const recordId = newId('aud', randomBytes);
  const accountId = as.accountId === '' ? null : as.accountId;
  const credential = as.credential.id === '' ? null : as.credential;
  const logId = accountId ?? SERVICE_LOG;
  const { requestId, facts } = context;
  await tx.audit.append((time) => ({
    recordId,
    logId,
    accountId,
    time,
    credentialKind: credential?.kind ?? null,
    credentialId: credential?.id ?? null,
    operation: facts.operation,
    target,
    outcome,
    entry: auditEntry({ id: recordId, logId, accountId, time, requestId, credential, facts, outcome, target }),
  }));
}
