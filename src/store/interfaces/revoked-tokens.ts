/** Access tokens revoked before their end, each until it would have ended by itself. */
export interface RevokedToken {
  /** The `jti` claim. */
  readonly tokenId: string;
  readonly accountId: string;
  readonly expiresAt: number;
}

export interface RevokedTokenRepository {
  /** Leaves a token that is revoked already as it stands. */
  insert(token: RevokedToken): Promise<void>;
  /** Whatever the account: the token names it, and is looked up before anybody is known. */
  has(tokenId: string): Promise<boolean>;
  /** Answers how many were deleted. */
  deleteExpired(now: number): Promise<number>;
}
