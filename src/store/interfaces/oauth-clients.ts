import type { Role, Tier } from '../../core/access.ts';
import type { Page, PageRequest } from '../records.ts';

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

export interface OAuthClientRepository {
  insert(client: OAuthClientRecord): Promise<void>;
  find(accountId: string, clientId: string): Promise<OAuthClientRecord | null>;
  /** Whatever the account: this is how a client's account becomes known. */
  findByClientId(clientId: string): Promise<OAuthClientRecord | null>;
  /** Newest first, revoked ones too. */
  list(accountId: string, page: PageRequest): Promise<Page<OAuthClientRecord>>;
  /** The present secret becomes the previous one. False where the client is not the account's or is revoked. */
  rotate(
    accountId: string,
    clientId: string,
    secret: { secretHash: string; previousSecretUntil: number },
  ): Promise<boolean>;
  /** False where the client is not the account's or is revoked already. */
  revoke(accountId: string, clientId: string, at: number): Promise<boolean>;
  touch(accountId: string, clientId: string, at: number): Promise<void>;
}
