/** Keys that sign requests, and the nonces that they have used. */
export interface SigningKeyTables {
  signing_keys: {
    /** RFC 7638 SHA-256 thumbprint. */
    key_id: string;
    account_id: string;
    credential_kind: string;
    credential_id: string;
    name: string;
    algorithm: string;
    public_jwk: string;
    revoked_at: bigint | null;
    last_used_at: bigint | null;
    created_at: bigint;
  };
  signature_nonces: { key_id: string; nonce: string; fingerprint: string; expires_at: bigint };
}
