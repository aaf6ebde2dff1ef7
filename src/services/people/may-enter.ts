import { DomainError } from '../../core/errors.ts';
import type { UserRecord } from '../../store/interfaces/users.ts';
import type { Store } from '../../store/store.ts';
import type { SigningKeyService } from '../credentials/signing-keys.ts';
import type { RequestSignature } from '../requests/request-context.ts';

/** Throws `forbidden` for people of a frozen account: it gives no new tokens. */
export async function assertMayEnter(store: Pick<Store, 'read'>, user: UserRecord): Promise<void> {
  const account = await store.read.accounts.find(user.accountId);
  if (account === null || account.frozenAt !== null) {
    throw new DomainError('forbidden', 'the account is frozen: nobody can log in to it');
  }
}

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
