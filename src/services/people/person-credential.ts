import type { SessionRecord } from '../../store/interfaces/sessions.ts';
import type { UserRecord } from '../../store/interfaces/users.ts';
import type { Credential } from '../requests/request-context.ts';

/** What a person may do as their record stands now, and which key may sign for them in this session. */
export const personCredential = (
  user: UserRecord,
  session: Pick<SessionRecord, 'sessionId' | 'boundKeyId'>,
): Credential => ({
  kind: 'person',
  id: user.userId,
  role: user.role,
  scopes: user.scopes,
  tier: user.tier,
  limits: null,
  requireSignature: true,
  signingKey: session.boundKeyId === null ? 'none' : { keyId: session.boundKeyId },
  sessionId: session.sessionId,
});
