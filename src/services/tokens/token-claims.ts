/** What an access token says (RFC 9068 §2.2, and claims of ours). */
import { z } from 'zod';
import { DomainError } from '../../core/errors.ts';
import type { AccountId } from '../../core/ids.ts';

export const ACCESS_TOKEN_LIFE_SECONDS = 15 * 60;

/** A token whose signature, algorithm, type, issuer, audience and times hold. */
export interface VerifiedJwt {
  readonly keyId: string;
  readonly payload: unknown;
}

/** Throws `unauthorized` for what is not a token of ours or has expired at `now` (epoch milliseconds). */
export type JwtVerifier = (token: string, now: number) => Promise<VerifiedJwt>;

export interface TokenClaims {
  readonly keyId: string;
  readonly tokenId: string;
  readonly kind: 'oauth_client' | 'person';
  readonly subjectId: string;
  readonly clientId: string;
  readonly accountId: AccountId;
  readonly scopes: readonly string[];
  readonly sessionId: string | null;
  readonly boundKeyId: string | null;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

const CLAIMS = z.object({
  sub: z.string().min(1),
  client_id: z.string().min(1),
  jti: z.string().min(1),
  exp: z.number(),
  scope: z.string(),
  account: z.string().min(1),
  sid: z.string().min(1).optional(),
  cnf: z.object({ jkt: z.string().min(1) }).optional(),
});

/** Throws `unauthorized` naming the claim that is missing or of another form. */
export function tokenClaims({ keyId, payload }: VerifiedJwt): TokenClaims {
  const parsed = CLAIMS.safeParse(payload);
  if (!parsed.success) {
    const claim = String(parsed.error.issues[0]?.path[0] ?? '');
    throw new DomainError('unauthorized', `the access token is not valid: its claim ${claim} is missing or wrong`);
  }
  const { sub, client_id: clientId, jti, exp, scope, account, sid, cnf } = parsed.data;
  return {
    keyId,
    tokenId: jti,
    // With client credentials the client is its own subject (RFC 9068 §2.2).
    kind: sub === clientId ? 'oauth_client' : 'person',
    subjectId: sub,
    clientId,
    accountId: account as AccountId,
    scopes: scope.split(' ').filter((one) => one !== ''),
    sessionId: sid ?? null,
    boundKeyId: cnf?.jkt ?? null,
    expiresAt: exp * 1000,
  };
}
