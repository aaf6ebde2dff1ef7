/** Access tokens: `at+jwt` (RFC 9068), EdDSA, 15 minutes. Issued to OAuth clients and to people; verified against who they stand for now. */
import type { BlockList } from 'node:net';
import type { Caller } from '../requests/request-context.ts';

export const ACCESS_TOKEN_LIFE_SECONDS = 15 * 60;

export interface TokenSubject {
  readonly kind: 'oauth_client' | 'person';
  /** Client id or user id: the `sub` claim. */
  readonly id: string;
  readonly accountId: string;
  /** Scopes that the token is narrowed to; the subject's present scopes bound it besides. */
  readonly scopes: readonly string[];
  /** A person's session: the `sid` claim. A revoked session's tokens are refused at once. */
  readonly sessionId: string | null;
  /** The key that signed the login: `cnf.jkt` (RFC 9449 §6.1). */
  readonly boundKeyId: string | null;
}

/** What a token's subject may do now; null where it is gone, disabled or its session revoked. */
export interface LoadedSubject {
  readonly caller: Caller;
  readonly allowedIps: BlockList | null;
}
/** Given by the service that knows the subject (OAuth clients, people); cached by it, so that both forms are quick. */
export interface SubjectLoader {
  findCached(id: string, sessionId: string | null): LoadedSubject | null | undefined;
  find(id: string, sessionId: string | null): Promise<LoadedSubject | null>;
}

export interface AccessTokens {
  issue(subject: TokenSubject): Promise<{ token: string; expiresInSeconds: number; tokenId: string }>;
}
