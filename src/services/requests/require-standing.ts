import { roleReaches } from '../../core/access.ts';
import { DomainError } from '../../core/errors.ts';
import type { Repositories } from '../../store/store.ts';
import type { RequestContext } from './request-context.ts';

/**
 * In the job of what moves coins or signs, after what takes turns by account: the account may have been frozen, and the credential revoked or
 * demoted, since the request was authorized. Throws `forbidden`.
 */
export async function requireStanding(
  tx: Pick<Repositories, 'accounts'>,
  { accountId, credential: { kind, id, role }, spends = false }: RequestContext,
): Promise<void> {
  if (!spends) return;
  const standing = await tx.accounts.standing(accountId, kind, id);
  if (standing.frozen) throw new DomainError('forbidden', 'the account is frozen: it can be read but not changed');
  if (standing.role === null) throw new DomainError('forbidden', `${id}, which asked for it, has ended`);
  if (!roleReaches(standing.role, role))
    throw new DomainError('forbidden', `${id}, which asked for it, has the role ${standing.role} by now`);
}
