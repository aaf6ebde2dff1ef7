/** A login that succeeded: a session, its first refresh token, and an access token. */
import { newId } from '../../core/ids.ts';
import { addressClass } from '../../core/users/address-class.ts';
import type { RefreshTokenRecord } from '../../store/repositories/refresh-tokens.ts';
import type { SessionMethod, SessionRecord } from '../../store/repositories/sessions.ts';
import type { UserRecord } from '../../store/repositories/users.ts';
import type { Repositories } from '../../store/store.ts';
import { recordRequest } from '../requests/record-request.ts';
import type { RequestContext } from '../requests/request-context.ts';
import { newOpaqueToken, tokenDigest } from './opaque-tokens.ts';
import { userCredential } from './user-credential.ts';
import type { UserDependencies } from './user-dependencies.ts';

/** Of a refresh token, and of a session since its last refresh. */
const REFRESH_LIFE_MS = 30 * 24 * 3_600_000;

/** What a person is answered who logged in or refreshed. */
export interface Tokens {
  readonly accessToken: string;
  readonly expiresInSeconds: number;
  readonly refreshToken: string;
  readonly refreshExpiresAt: number;
  readonly sessionId: string;
  /** The key whose signatures the access token may make changes with. */
  readonly boundKeyId: string | null;
  readonly user: UserRecord;
}

export function newRefreshToken(
  session: Pick<SessionRecord, 'accountId' | 'sessionId'>,
  randomBytes: (size: number) => Uint8Array,
  at: number,
): { token: string; record: RefreshTokenRecord } {
  const token = newOpaqueToken('refresh', randomBytes);
  const record: RefreshTokenRecord = {
    digest: tokenDigest('refresh', token) as string,
    accountId: session.accountId,
    sessionId: session.sessionId,
    createdAt: at,
    expiresAt: at + REFRESH_LIFE_MS,
    spentAt: null,
    successor: null,
  };
  return { token, record };
}

/** Makes it all; nothing of it is worth anything before `store` has committed. */
export async function openSession(
  deps: Pick<UserDependencies, 'accessTokens' | 'clock' | 'randomBytes'>,
  user: UserRecord,
  given: { method: SessionMethod; boundKeyId: string | null; remoteAddress: string },
) {
  const { accessTokens, clock, randomBytes } = deps;
  const at = clock();
  const { accountId, userId } = user;
  const session: SessionRecord = {
    sessionId: newId('ses', randomBytes),
    accountId,
    userId,
    method: given.method,
    boundKeyId: given.boundKeyId,
    remoteAddress: given.remoteAddress,
    addressClass: addressClass(given.remoteAddress),
    createdAt: at,
    lastUsedAt: at,
    expiresAt: at + REFRESH_LIFE_MS,
    endedAt: null,
    endReason: null,
  };
  const refresh = newRefreshToken(session, randomBytes, at);
  const access = await issueAccess(accessTokens, user, session);
  return {
    tokens: {
      ...access,
      refreshToken: refresh.token,
      refreshExpiresAt: refresh.record.expiresAt,
      sessionId: session.sessionId,
      boundKeyId: session.boundKeyId,
      user: { ...user, lastLoginAt: at },
    },
    /** In the job that lets the person in. */
    async store(tx: Repositories, context: RequestContext) {
      await tx.sessions.insert(session);
      await tx.refreshTokens.insert(refresh.record);
      await tx.users.loggedIn(accountId, userId, at);
      await recordRequest(tx, context, {
        result: null,
        target: session.sessionId,
        as: { accountId, credential: userCredential(user, session) },
      });
    },
  };
}

export type NewSession = Awaited<ReturnType<typeof openSession>>;

export async function issueAccess(
  accessTokens: UserDependencies['accessTokens'],
  user: UserRecord,
  session: Pick<SessionRecord, 'sessionId' | 'boundKeyId'>,
): Promise<{ accessToken: string; expiresInSeconds: number }> {
  const { token, expiresInSeconds } = await accessTokens.issue({
    kind: 'person',
    id: user.userId,
    accountId: user.accountId,
    scopes: user.scopes,
    sessionId: session.sessionId,
    boundKeyId: session.boundKeyId,
  });
  return { accessToken: token, expiresInSeconds };
}
