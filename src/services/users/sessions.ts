/** The logins of a person that can still be refreshed. */
import { DomainError } from '../../core/errors.ts';
import type { PageRequest } from '../../store/records.ts';
import type { SessionRecord } from '../../store/repositories/sessions.ts';
import { assertMayEnd } from '../credentials/grants.ts';
import { hadByUser } from '../credentials/rights.ts';
import { recordRequest } from '../requests/record-request.ts';
import type { RequestContext } from '../requests/request-context.ts';
import type { UserDependencies } from './user-dependencies.ts';
import { noUser, userOf } from './user-of.ts';

export function createSessions({ store, clock }: UserDependencies) {
  return {
    /** Newest first. Throws `not_found` for who is not of the account. */
    async list(userId: string, page: PageRequest, { accountId }: RequestContext) {
      const user = await store.read.users.find(accountId, userId);
      if (user === null || user.deletedAt !== null) throw noUser();
      return store.read.sessions.listLive(accountId, userId, clock(), page);
    },
    /** Its tokens are refused from then on, in every process. Throws `not_found`. */
    end: ({ userId, sessionId }: Pick<SessionRecord, 'userId' | 'sessionId'>, context: RequestContext) =>
      store.write(async (tx) => {
        const { accountId, credential } = context;
        const user = await userOf(tx, accountId, userId);
        if (credential.id !== userId) assertMayEnd(credential, hadByUser(user));
        if (!(await tx.sessions.end({ accountId, userId, sessionId }, clock(), 'revoked'))) {
          throw new DomainError('not_found', 'there is no such session', { field: 'session_id' });
        }
        await recordRequest(tx, context, { result: null, target: sessionId });
      }),
  };
}

export type SessionService = ReturnType<typeof createSessions>;
