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
