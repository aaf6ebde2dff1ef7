/** Keys with which the service signs access tokens. They belong to the service, not to an account. */
export interface TokenKeyRecord {
  readonly generation: number;
  /** RFC 7638 SHA-256 thumbprint, base64url: the `kid` of its tokens. */
  readonly keyId: string;
  readonly publicJwk: { readonly kty: 'OKP'; readonly crv: 'Ed25519'; readonly x: string };
  /** Sealed under a key of the service; null once it was forgotten. */
  readonly sealedPrivateKey: string | null;
  /** Published before, signs from then on. */
  readonly signsFrom: number;
  readonly revokedAt: number | null;
  readonly createdAt: number;
}

export interface TokenKeyRepository {
  /** All that ever were, oldest generation first: a few dozen in years. */
  list(): Promise<TokenKeyRecord[]>;
  /** False where the generation is taken: another process was first. */
  insert(key: TokenKeyRecord): Promise<boolean>;
  /** False where there is no such key, or it is revoked already. */
  revoke(keyId: string, at: number): Promise<boolean>;
  /** Deletes the private half of a key that signs no more. */
  forgetPrivateKey(keyId: string): Promise<void>;
}
