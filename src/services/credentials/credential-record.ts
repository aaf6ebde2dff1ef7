/** What the records of API keys and OAuth clients have in common: how one is made, when it ends, and who it speaks for. */
import { hash } from 'node:crypto';
import type { Rights } from '../../core/access.ts';
import type { AccountId } from '../../core/ids.ts';
import type { AccountRecord, ApiKeyRecord } from '../../store/records.ts';
import type { OAuthClientRecord } from '../../store/repositories/oauth-clients.ts';
import type { Caller, Credential } from '../requests/request-context.ts';
import { rightsOf } from './rights.ts';

export type CredentialRecord = ApiKeyRecord | OAuthClientRecord;

/** What is stored of a secret. */
export const secretHash = (secret: string): string => hash('sha256', secret, 'hex');

type Needed = 'role' | 'scopes' | 'tier';
export interface NewCredential extends Pick<Rights, Needed>, Partial<Omit<Rights, Needed>> {
  accountId: AccountId;
  name: string;
  /** The person that it counts as; nobody unless said. */
  countsAs?: string | null;
}

/** The fields of either record: nothing that is not given, and a signature for every write. */
export const freshCredential = (given: NewCredential, secret: string, at: number) => ({
  accountId: given.accountId,
  name: given.name,
  ...rightsOf({
    ...{ limits: null, expiresAt: null, allowedIps: null, requireSignature: true, mayGrant: false },
    ...given,
  }),
  countsAs: given.countsAs ?? null,
  secretHash: secretHash(secret),
  revokedAt: null,
  lastUsedAt: null,
  createdAt: at,
});

type Ends = Pick<CredentialRecord, 'expiresAt'> & Partial<Pick<ApiKeyRecord, 'overlapEndsAt'>>;

/** When it ends by itself: its expiry or the end of a key's rotation, whichever is first; null where neither. */
export function endOf({ expiresAt, overlapEndsAt = null }: Ends): number | null {
  if (expiresAt === null || overlapEndsAt === null) return expiresAt ?? overlapEndsAt;
  return Math.min(expiresAt, overlapEndsAt);
}

/** Whether it may be used at a time. */
export function isActive(record: Ends & Pick<CredentialRecord, 'revokedAt'>, at: number): boolean {
  const end = endOf(record);
  return record.revokedAt === null && (end === null || end > at);
}

/** Who it speaks for. Under `required` it signs, even if it was issued without need of a signature. */
export const callerFrom = (
  record: CredentialRecord,
  account: AccountRecord,
  credential: Pick<Credential, 'kind' | 'id' | 'signingKey' | 'budgeted'>,
  signaturePolicy: 'required' | 'per-key',
): Caller => ({
  accountId: record.accountId,
  accountFrozen: account.frozenAt !== null,
  platform: account.platform,
  credential: {
    ...rightsOf(record),
    ...credential,
    countsAs: record.countsAs,
    // What it makes does not outlive it, either way that it may end.
    expiresAt: endOf(record),
    requireSignature: record.requireSignature || signaturePolicy === 'required',
  },
});
