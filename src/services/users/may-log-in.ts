import { DomainError } from '../../core/errors.ts';
import type { UserRecord } from '../../store/repositories/users.ts';
import type { Store } from '../../store/store.ts';
import { addressList, listAllows } from '../credentials/address-list.ts';
import type { SigningKeyService } from '../credentials/signing-keys.ts';
import type { RequestSignature } from '../requests/request-context.ts';

/** Throws `forbidden` for a user of a frozen account, an expired user, and a login from an address that is not allowed. */
export async function assertMayLogIn(
  { store, clock }: { store: Pick<Store, 'read'>; clock: () => number },
  user: UserRecord,
  remoteAddress: string,
): Promise<void> {
  if (!isWithinTime(user, clock()))
    throw new DomainError('forbidden', 'the time for which this person was let in is over');
  if (user.allowedIps !== null && !listAllows(addressList(user.allowedIps), remoteAddress)) {
    throw new DomainError('forbidden', 'this person is not let in from this address');
  }
  const account = await store.read.accounts.find(user.accountId);
  if (account === null || account.frozenAt !== null) {
    throw new DomainError('forbidden', 'the account is frozen: nobody can log in to it');
  }
}

export const isWithinTime = ({ expiresAt }: UserRecord, at: number): boolean => expiresAt === null || expiresAt > at;

/** The key that signed the login, null where none did. Throws `unauthorized` for one that is not this person's. */
export async function signingKeyOf(
  signingKeys: Pick<SigningKeyService, 'find'>,
  user: UserRecord,
  signature: RequestSignature | null,
): Promise<string | null> {
  if (signature === null) return null;
  const key = await signingKeys.find(signature.keyId);
  const theirs = key?.credentialKind === 'person' && key.credentialId === user.userId;
  if (!theirs || key.revokedAt !== null) {
    throw new DomainError('unauthorized', 'the key that signed this login is not enrolled for the person who logs in', {
      field: 'headers.signature-input',
    });
  }
  return key.keyId;
}
