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
  oauth_clients: {
    client_id: string;
    account_id: string;
    name: string;
    role: string;
    scopes: string;
    tier: string;
    limits: string | null;
    allowed_ips: string | null;
    require_signature: bigint;
    may_grant: bigint;
    /** SHA-256 of the secret, hex. */
    secret_hash: string;
    /** The secret before the last rotation, and until when it still serves. */
    previous_secret_hash: string | null;
    previous_secret_until: bigint | null;
    expires_at: bigint | null;
    revoked_at: bigint | null;
    last_used_at: bigint | null;
    created_at: bigint;
  };
  revoked_tokens: {
    /** The `jti` claim. */
    token_id: string;
    account_id: string;
    /** When the token ends by itself: the row is of no use after that. */
    expires_at: bigint;
  };
}
