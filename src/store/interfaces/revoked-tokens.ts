/** Access tokens revoked before their end, each until it would have ended by itself. */
export interface RevokedToken {
  /** The `jti` claim. */
  readonly tokenId: string;
  readonly accountId: string;
  readonly expiresAt: number;
}
