/** Whom a person's key speaks for alone: the person, as long as a session that it signed the login of lives. */
import { DomainError } from '../../core/errors.ts';
import type { KeyOwner } from '../../store/repositories/signing-keys.ts';
import type { Store } from '../../store/store.ts';
import { listAllows } from '../credentials/address-list.ts';
import { CredentialRefused } from '../credentials/credential-refused.ts';
import type { Caller } from '../requests/request-context.ts';
import { createUserSubjects } from './user-subjects.ts';

export function createPersonOf(deps: { store: Store; clock: () => number }) {
  const { store, clock } = deps;
  const subjects = createUserSubjects(deps);

  /** Throws `unauthorized`, and `forbidden` for an address from which the person is not let in. */
  return async ({ accountId, id, keyId }: KeyOwner & { keyId: string }, remoteAddress: string): Promise<Caller> => {
    const session = await store.read.sessions.signedBy(accountId, { userId: id, keyId }, clock());
    const { sessionId = null } = session ?? {};
    const subject = await subjects.find({ subjectId: id, sessionId });
    if (subject === null) {
      const message = 'no session lives whose login this key signed: log in, signed by it (POST /api/v1/auth/login)';
      throw new DomainError('unauthorized', message);
    }
    if (subject.allowedIps !== null && !listAllows(subject.allowedIps, remoteAddress))
      throw new CredentialRefused('forbidden', 'the person is not let in from this address', subject.caller);
    return subject.caller;
  };
}
