/** Checks the initiator's rights again, by the current records: when the request is approved, and when it is carried out. */
import { type Rights, type Role, roleReaches, scopeAllows } from '../../core/access.ts';
import type { AccountId } from '../../core/ids.ts';
import type { ApiKeyRecord } from '../../store/records.ts';
import type { ApprovalRecord } from '../../store/repositories/approvals.ts';
import type { Repositories } from '../../store/store.ts';
import { endOf } from '../credentials/credential-record.ts';
import { credentialNow } from './voters.ts';

type Reads = Pick<Repositories, 'apiKeys' | 'oauthClients' | 'users'>;

/** The rights that a request for it requires, as its operation declares them. */
export interface AskerAccess {
  readonly scope: string;
  readonly role: Role;
}

export const isAllowed = (rights: Pick<Rights, 'role' | 'scopes'>, { role, scope }: AskerAccess): boolean =>
  roleReaches(rights.role, role) && scopeAllows(rights.scopes, scope);

/** Why the initiator may no longer request it; null if they may. */
export async function whyNoLonger(
  tx: Reads,
  { accountId, initiator: { kind, id } }: Pick<ApprovalRecord, 'accountId' | 'initiator'>,
  access: AskerAccess,
  at: number,
): Promise<string | null> {
  const credentialId = kind === 'api_key' ? await newestOf(tx, accountId, id, at) : id;
  const asks = await credentialNow(tx, { accountId, credentialKind: kind, credentialId }, at);
  if (asks === null) return `${id}, which asked for it, has ended`;
  return isAllowed(asks, access) ? null : `${id}, which asked for it, may no longer do so`;
}

/** A rotated key that has ended continues as its successor, unless the successor is another voice. A revoked one does not. */
export async function newestOf(
  tx: Pick<Reads, 'apiKeys'>,
  accountId: AccountId,
  keyId: string,
  at: number,
): Promise<string> {
  const isOver = (key: ApiKeyRecord) => (endOf(key) ?? Number.POSITIVE_INFINITY) <= at;
  let key = await tx.apiKeys.find(accountId, keyId);
  while (key?.revokedAt === null && key.rotatedTo !== null && isOver(key)) {
    const next = await tx.apiKeys.find(accountId, key.rotatedTo);
    if (next?.countsAs !== (key.countsAs ?? key.keyId)) break;
    key = next;
  }
  return key?.keyId ?? keyId;
}
