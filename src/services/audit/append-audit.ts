import { randomBytes } from 'node:crypto';
import { newOrderedId } from '../../core/ids.ts';
import type { Repositories } from '../../store/store.ts';
import { type AuditPlace, NO_ACCOUNT, type RequestContext } from '../requests/request-context.ts';
import { type AuditEntryInput, type AuditedCall, auditEntry, SERVICE_LOG } from './audit-entry.ts';

export interface AuditedOutcome {
  /** `done`, or the slug of a refusal. */
  readonly outcome: string;
  /** Id of what was made or changed. */
  readonly target: string | null;
  /** Who it was, where the context does not know. */
  readonly as?: Pick<RequestContext, 'accountId' | 'credential'> | undefined;
  /** What the record fixes besides. */
  readonly commitment?: string | undefined;
  /** Of a call of a model. */
  readonly call?: AuditedCall | undefined;
}

/** Appends what became of a request to its account's log, or to the service's own where the account is unknown. */
export function appendAudit(
  tx: Pick<Repositories, 'audit'>,
  context: Pick<RequestContext, 'requestId' | 'accountId' | 'credential' | 'facts'>,
  { outcome, target, as = context, commitment, call }: AuditedOutcome,
): Promise<AuditPlace> {
  const { requestId, facts } = context;
  return appendEntry(tx, {
    accountId: as.accountId === NO_ACCOUNT ? null : as.accountId,
    credential: as.credential.id === '' ? null : as.credential,
    request: { id: requestId, ...facts },
    operation: facts.operation,
    outcome,
    target,
    commitment,
    call,
  });
}

/** Appends to the log of the account, or to the service's own. */
export async function appendEntry(
  tx: Pick<Repositories, 'audit'>,
  given: Omit<AuditEntryInput, 'id' | 'logId' | 'time'>,
): Promise<AuditPlace> {
  const { accountId, credential, operation, target, outcome, commitment } = given;
  const logId = accountId ?? SERVICE_LOG;
  const { recordId } = await tx.audit.append((time) => {
    const id = newOrderedId('aud', time, randomBytes);
    return {
      ...{ recordId: id, logId, accountId, time },
      credentialKind: credential?.kind ?? null,
      credentialId: credential?.id ?? null,
      ...{ operation, target, outcome },
      entry: auditEntry({ ...given, id, logId, time }),
    };
  });
  if (commitment !== undefined)
    await tx.audit.putCommitment({ logId, subject: commitment.split(' ', 2).join(' '), recordId });
  return { logId, recordId };
}
