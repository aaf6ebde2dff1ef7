import type { Role, Tier } from '../../core/access.ts';

/** A program that gets access tokens for its id and secret (OAuth 2.0 client credentials). */
export interface OAuthClientRecord {
  readonly clientId: string;
  readonly accountId: string;
  readonly name: string;
  readonly role: Role;
  readonly scopes: readonly string[];
  readonly tier: Tier;
  readonly limits: Readonly<Record<string, number>> | null;
  readonly allowedIps: readonly string[] | null;
  readonly requireSignature: boolean;
  readonly mayGrant: boolean;
  /** SHA-256 of the secret, hex. */
  readonly secretHash: string;
  /** The secret before the last rotation: it serves until then. */
  readonly previousSecretHash: string | null;
  readonly previousSecretUntil: number | null;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  readonly lastUsedAt: number | null;
  readonly createdAt: number;
}
