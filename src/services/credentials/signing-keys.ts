/** Keys that sign requests (RFC 9421), each enrolled for one credential. The keyid of a signature is the key's RFC 7638 thumbprint. */
import type { Repositories } from '../../store/store.ts';
import type { Caller, CredentialKind } from '../requests/request-context.ts';

/** RFC 9421 §3.3 names of what we verify; JWKs: OKP Ed25519, EC P-256, EC secp256k1. No HMAC: it cannot prove who asked. */
export const SIGNATURE_ALGORITHMS = ['ed25519', 'ecdsa-p256-sha256', 'ecdsa-secp256k1-sha256'] as const;
export type SignatureAlgorithm = (typeof SIGNATURE_ALGORITHMS)[number];

/** A public JWK as it is stored and shown: exactly the members of its thumbprint. */
export type PublicJwk =
  | { readonly kty: 'OKP'; readonly crv: 'Ed25519'; readonly x: string }
  | { readonly kty: 'EC'; readonly crv: 'P-256' | 'secp256k1'; readonly x: string; readonly y: string };

export interface SigningKeyRecord {
  /** RFC 7638 SHA-256 thumbprint, base64url. Enrolled once, ever, in the whole service. */
  keyId: string;
  accountId: string;
  credentialKind: CredentialKind;
  credentialId: string;
  name: string;
  algorithm: SignatureAlgorithm;
  publicJwk: PublicJwk;
  revokedAt: number | null;
  lastUsedAt: number | null;
  createdAt: number;
}

/** The owner of a key, and whether it may be used. */
export interface CredentialReference {
  readonly accountId: string;
  readonly kind: CredentialKind;
  readonly id: string;
}

export interface SigningKeyService {
  /** A fresh Ed25519 pair; the private JWK is answered to its owner once and never stored. */
  newPair(): { keyId: string; publicJwk: PublicJwk; privateJwk: PublicJwk & { readonly d: string } };
  /**
   * In the job that makes the credential: enrols the key given with it. Throws `invalid_value` (at `public_key`) for what is no such
   * key, or holds a private one; `already_exists` where it is enrolled.
   */
  enrol(
    tx: Repositories,
    owner: CredentialReference,
    key: { name: string; publicJwk: unknown },
  ): Promise<SigningKeyRecord>;
  /** In the job that revokes a credential: its keys too. */
  revokeAll(tx: Repositories, owner: CredentialReference): Promise<void>;
  /** What is enrolled under a keyid, revoked ones too; undefined where the cache cannot tell at once. */
  findCached(keyId: string): SigningKeyRecord | null | undefined;
  find(keyId: string): Promise<SigningKeyRecord | null>;
}

/** Who a key may speak for without another credential (family G): loads the credential that it is enrolled for. */
export type LoadCaller = (owner: CredentialReference, remoteAddress: string) => Promise<Caller>;
