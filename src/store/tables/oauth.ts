import type { Role, Tier } from '../../core/access.ts';
import { flag, integer, json, orNull, type RecordOf, type RowOf, table, text, time } from './columns.ts';

export const tokenKeys = table('token_keys', ['keyId'], {
  /** 1, 2, 3, …: two processes that make the next key at once make one. */
  generation: integer,
  /** RFC 7638 SHA-256 thumbprint, base64url: the `kid` of its tokens. */
  keyId: text(),
  publicJwk: json<{ readonly kty: 'OKP'; readonly crv: 'Ed25519'; readonly x: string }>(),
  /** Encrypted under a key of the service; null once it was forgotten. */
  sealedPrivateKey: orNull(text()),
  /** Published before, signs from then on. */
  signsFrom: time,
  revokedAt: orNull(time),
  createdAt: time,
});
/** Keys with which the service signs access tokens. They belong to the service, not to an account. */
export type TokenKeyRecord = RecordOf<typeof tokenKeys>;

export const oauthClients = table('oauth_clients', ['clientId'], {
  clientId: text(),
  accountId: text(),
  name: text(),
  role: text<Role>(),
  scopes: json<readonly string[]>(),
  tier: text<Tier>(),
  limits: orNull(json<Readonly<Record<string, number>>>()),
  allowedIps: orNull(json<readonly string[]>()),
  requireSignature: flag,
  mayGrant: flag,
  /** SHA-256 of the secret, hex. */
  secretHash: text(),
  /** The secret before the last rotation: it serves until then. */
  previousSecretHash: orNull(text()),
  previousSecretUntil: orNull(time),
  expiresAt: orNull(time),
  revokedAt: orNull(time),
  lastUsedAt: orNull(time),
  createdAt: time,
});
/** A program that gets access tokens for its id and secret (OAuth 2.0 client credentials). */
export type OAuthClientRecord = RecordOf<typeof oauthClients>;

/** Of no use once the token has ended by itself. */
export const revokedTokens = table('revoked_tokens', ['tokenId'], {
  /** The `jti` claim. */
  tokenId: text(),
  accountId: text(),
  expiresAt: time,
});
/** Access tokens revoked before their end, each until it would have ended by itself. */
export type RevokedToken = RecordOf<typeof revokedTokens>;

/** Keys that sign access tokens, the clients that get them, and the tokens that were revoked before their end. */
export interface OAuthTables {
  token_keys: RowOf<typeof tokenKeys>;
  oauth_clients: RowOf<typeof oauthClients>;
  revoked_tokens: RowOf<typeof revokedTokens>;
}
