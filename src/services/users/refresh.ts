/** Refreshing: each refresh token is good once, and gives the next. One that comes back later was stolen, then or now. */
import { DomainError } from '../../core/errors.ts';
import type { RefreshTokenRecord } from '../../store/repositories/refresh-tokens.ts';
import type { SessionRecord } from '../../store/repositories/sessions.ts';
import type { UserRecord } from '../../store/repositories/users.ts';
import type { Repositories } from '../../store/store.ts';
import { recordRequest } from '../requests/record-request.ts';
import type { RequestContext } from '../requests/request-context.ts';
import { assertMayLogIn } from './may-log-in.ts';
import { tokenDigest } from './opaque-tokens.ts';
import { issueAccess, newRefreshToken } from './open-session.ts';
import { userCredential } from './user-credential.ts';
import type { UserDependencies } from './user-dependencies.ts';

/** Within it a spent token answers the same successor: the first answer may have been lost on its way. */
const GRACE_MS = 10_000;

const dead = () =>
  new DomainError('unauthorized', 'the refresh token is not valid any more: log in again', { field: 'refresh_token' });
const binding = (digest: string) => `refresh token ${digest}`;

export function createRefresh(deps: UserDependencies) {
  const { store, accessTokens, cipher, clock, randomBytes, log } = deps;

  async function tokenOf(refreshToken: string): Promise<RefreshTokenRecord | null> {
    const digest = tokenDigest('refresh', refreshToken);
    return digest === null ? null : store.read.refreshTokens.find(digest);
  }

  async function standing(
    token: RefreshTokenRecord,
    remoteAddress: string,
  ): Promise<{ session: SessionRecord; user: UserRecord }> {
    const session = await store.read.sessions.find(token.accountId, token.sessionId);
    const user = session && (await store.read.users.find(token.accountId, session.userId));
    if (!session || session.endedAt !== null || !user || user.disabledAt !== null) throw dead();
    if (Math.min(session.expiresAt, token.expiresAt) <= clock()) throw dead();
    await assertMayLogIn(deps, user, remoteAddress);
    return { session, user };
  }

  /** Spends the token for `next`, or finds out what it was spent for. null: it came back too late, and the session is over. */
  async function spend(
    tx: Repositories,
    token: RefreshTokenRecord,
    session: SessionRecord,
    next: { token: string; record: RefreshTokenRecord },
  ): Promise<string | null> {
    const at = clock();
    const { accountId, digest } = token;
    if (await tx.refreshTokens.spend(accountId, digest, at, cipher.encrypt(next.token, binding(digest)))) {
      await tx.refreshTokens.insert(next.record);
      await tx.sessions.prolong(accountId, session.sessionId, at, next.record.expiresAt);
      return next.token;
    }
    const spent = await tx.refreshTokens.find(digest);
    if (spent === null || spent.spentAt === null || spent.successor === null) return null;
    if (at - spent.spentAt <= GRACE_MS) return cipher.decrypt(spent.successor, binding(digest));
    await tx.sessions.end(session, at, 'reused');
    return null;
  }

  return {
    /** Throws `unauthorized` where the token or its session is at its end, `forbidden` for a frozen account. */
    async refresh(refreshToken: string, context: RequestContext) {
      const token = await tokenOf(refreshToken);
      if (token === null) throw dead();
      const { session, user } = await standing(token, context.facts.remoteAddress);
      const next = newRefreshToken(session, randomBytes, clock());
      const access = await issueAccess(accessTokens, user, session);
      const given = await store.write(async (tx) => {
        const successor = await spend(tx, token, session, next);
        if (successor !== null) {
          const as = { accountId: user.accountId, credential: userCredential(user, session) };
          await recordRequest(tx, context, { result: null, target: session.sessionId, as });
        }
        return successor;
      });
      if (given === null) {
        log.warn({ sessionId: session.sessionId }, 'a spent refresh token came back: its session is ended');
        throw dead();
      }
      const { sessionId, boundKeyId } = session;
      return { ...access, refreshToken: given, refreshExpiresAt: next.record.expiresAt, sessionId, boundKeyId, user };
    },

    /** Ends the session of a token of it, spent or not. Of an unknown one there is nothing to end. */
    async logout(refreshToken: string, context: RequestContext) {
      const token = await tokenOf(refreshToken);
      if (token === null) return;
      const session = await store.read.sessions.find(token.accountId, token.sessionId);
      const user = session && (await store.read.users.find(token.accountId, session.userId));
      if (!session || !user) return;
      const { accountId } = user;
      await store.write(async (tx) => {
        await tx.sessions.end(session, clock(), 'logout');
        const as = { accountId, credential: userCredential(user, session) };
        await recordRequest(tx, context, { result: null, target: session.sessionId, as });
      });
    },
  };
}

export type RefreshService = ReturnType<typeof createRefresh>;
