import type { AccountId } from '../../core/ids.ts';
import type { SessionRecord } from '../../store/repositories/sessions.ts';
import type { UserRecord } from '../../store/repositories/users.ts';
import { rightsOfUser } from '../credentials/rights.ts';
import type { Credential } from '../requests/request-context.ts';

/** What a person may do as their record stands now, and which key may sign for them in this session; null: none was opened. */
export const userCredential = (
  user: UserRecord,
  session: Pick<SessionRecord, 'sessionId' | 'boundKeyId'> | null,
): Credential => ({
  kind: 'person',
  id: user.userId,
  countsAs: user.userId,
  ...rightsOfUser(user),
  signingKey: session === null || session.boundKeyId === null ? 'none' : { keyId: session.boundKeyId },
  ...(session === null ? {} : { sessionId: session.sessionId }),
});

/** Whose login it is, for the record of one that is refused. */
export const authenticatedAs = (user: UserRecord): { accountId: AccountId; credential: Credential } => ({
  accountId: user.accountId,
  credential: userCredential(user, null),
});
