/** Whether the creator of a connection may still read what it delivers, checked against the current records at each delivery. */
import { type Rights, roleReaches, scopeAllows } from '../../core/access.ts';
import type { ConnectionRecord } from '../../store/repositories/connections.ts';
import type { Repositories } from '../../store/store.ts';
import { SERVICE_LOG } from '../audit/audit-entry.ts';
import { isActive } from '../credentials/credential-record.ts';
import { rightsOfUser } from '../credentials/rights.ts';

type Read = Pick<Repositories, 'accounts' | 'apiKeys' | 'oauthClients' | 'users'>;
type Made = Pick<ConnectionRecord, 'accountId' | 'makerKind' | 'makerId' | 'logId'>;

/** The rights that reading the audit log requires (families/c-platform/compliance). */
export const mayReadAudit = ({ role, scopes }: Pick<Rights, 'role' | 'scopes'>): boolean =>
  roleReaches(role, 'operator') && scopeAllows(scopes, 'compliance:read');

/** Why the creator may not read it; null if allowed. */
export async function whyNotRead(read: Read, made: Made, at: number): Promise<string | null> {
  const account = await read.accounts.find(made.accountId);
  if (account === null || account.frozenAt !== null) return 'the account is frozen';
  const rights = await rightsNow(read, made, at);
  if (rights === null) return `${made.makerId}, which set it up, was revoked or disabled, or has expired`;
  if (!mayReadAudit(rights)) {
    return `${made.makerId}, which set it up, may not read the audit log any more: that takes the role operator and the scope compliance:read`;
  }
  return made.logId === SERVICE_LOG && !(account.platform && rights.role === 'admin')
    ? `${made.makerId}, which set it up, may not read the service's own log any more`
    : null;
}

/** The rights of whoever set something up, as they are now; null where it was revoked or disabled, or has expired. */
export async function rightsNow(
  read: Read,
  { accountId, makerKind, makerId }: Omit<Made, 'logId'>,
  at: number,
): Promise<Rights | null> {
  if (makerKind === 'person') {
    const user = await read.users.find(accountId, makerId);
    const over = user === null || user.disabledAt !== null || user.deletedAt !== null;
    return over || (user.expiresAt !== null && user.expiresAt <= at) ? null : rightsOfUser(user);
  }
  const record =
    makerKind === 'api_key'
      ? await read.apiKeys.find(accountId, makerId)
      : await read.oauthClients.find(accountId, makerId);
  return record !== null && isActive(record, at) ? record : null;
}
