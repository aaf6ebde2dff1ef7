import type { Role, Tier } from '../../core/access.ts';
import type { OAuthClientRecord } from '../interfaces/oauth-clients.ts';
import { flag, json, orNull, type RowOf, table, text, time } from './columns.ts';

export const oauthClients = table<OAuthClientRecord>()('oauth_clients', ['clientId', 'accountId'], {
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

/** Keys that sign access tokens, the clients that get them, and the tokens that were revoked before their end. */
export interface OAuthTables {
  token_keys: {
    /** 1, 2, 3, …: two processes that make the next key at once make one. */
    generation: bigint;
    /** RFC 7638 thumbprint: the `kid` of its tokens. */
    key_id: string;
    public_jwk: string;
    /** The private half, sealed; null once it is no longer needed. */
    sealed_private_key: string | null;
    signs_from: bigint;
    revoked_at: bigint | null;
    created_at: bigint;
  };
  oauth_clients: RowOf<typeof oauthClients>;
  revoked_tokens: {
    /** The `jti` claim. */
    token_id: string;
    account_id: string;
    /** When the token ends by itself: the row is of no use after that. */
    expires_at: bigint;
  };
}
