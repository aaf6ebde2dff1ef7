import type { Role, Tier } from '../../core/access.ts';
import type { OAuthClientRecord } from '../interfaces/oauth-clients.ts';
import type { RevokedToken } from '../interfaces/revoked-tokens.ts';
import type { TokenKeyRecord } from '../interfaces/token-keys.ts';
import { flag, integer, json, orNull, type RowOf, table, text, time } from './columns.ts';

export const tokenKeys = table<TokenKeyRecord>()('token_keys', ['keyId'], {
  /** 1, 2, 3, …: two processes that make the next key at once make one. */
  generation: integer,
  keyId: text(),
  publicJwk: json<TokenKeyRecord['publicJwk']>(),
  sealedPrivateKey: orNull(text()),
  signsFrom: time,
  revokedAt: orNull(time),
  createdAt: time,
});

export const oauthClients = table<OAuthClientRecord>()('oauth_clients', ['clientId'], {
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
  secretHash: text(),
  previousSecretHash: orNull(text()),
  previousSecretUntil: orNull(time),
  expiresAt: orNull(time),
  revokedAt: orNull(time),
  lastUsedAt: orNull(time),
  createdAt: time,
});

/** Of no use once the token has ended by itself. */
export const revokedTokens = table<RevokedToken>()('revoked_tokens', ['tokenId'], {
  tokenId: text(),
  accountId: text(),
  expiresAt: time,
});

/** Keys that sign access tokens, the clients that get them, and the tokens that were revoked before their end. */
export interface OAuthTables {
  token_keys: RowOf<typeof tokenKeys>;
  oauth_clients: RowOf<typeof oauthClients>;
  revoked_tokens: RowOf<typeof revokedTokens>;
}
