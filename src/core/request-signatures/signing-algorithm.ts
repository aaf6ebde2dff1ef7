/** The keys that may sign requests: public JWKs (RFC 7517, 8037, 8812) and the RFC 9421 §3.3 algorithm that each stands for. */
import { createPublicKey, hash, type JsonWebKey } from 'node:crypto';
import { DomainError } from '../errors.ts';

/** RFC 9421 §3.3 names of what we verify. No HMAC: it cannot prove who asked. */
export const SIGNATURE_ALGORITHMS = ['ed25519', 'ecdsa-p256-sha256', 'ecdsa-secp256k1-sha256'] as const;
export type SignatureAlgorithm = (typeof SIGNATURE_ALGORITHMS)[number];

/** A public JWK as it is stored and shown: exactly the members of its thumbprint. */
export type PublicJwk =
  | { readonly kty: 'OKP'; readonly crv: 'Ed25519'; readonly x: string }
  | { readonly kty: 'EC'; readonly crv: 'P-256' | 'secp256k1'; readonly x: string; readonly y: string };
export type PrivateJwk = PublicJwk & { readonly d: string };

const ALGORITHM_OF_CURVE: Readonly<Record<PublicJwk['crv'], SignatureAlgorithm>> = {
  Ed25519: 'ed25519',
  'P-256': 'ecdsa-p256-sha256',
  secp256k1: 'ecdsa-secp256k1-sha256',
};
/** Members of RFC 7518 §6 and RFC 8037 that only a private or a shared key has. */
const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

export const algorithmOf = (jwk: PublicJwk): SignatureAlgorithm => ALGORITHM_OF_CURVE[jwk.crv];

/**
 * The public JWK in `value`, without whatever else it holds (kid, use, alg: RFC 7517 §4 lets them be there).
 * Throws `invalid_value` at `public_key` for what is no such key, is no point of its curve, or holds a private key.
 */
export function parsePublicJwk(value: unknown): PublicJwk {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw noKey('must be a JWK: a JSON object');
  const given = value as Readonly<Record<string, unknown>>;
  if (PRIVATE_MEMBERS.some((name) => Object.hasOwn(given, name))) {
    throw noKey('holds a private key: send the public members alone, and replace this key');
  }
  const { kty, crv } = given;
  const jwk = readJwk(kty, crv, coordinate(given, 'x'), () => coordinate(given, 'y'));
  try {
    createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' });
  } catch {
    throw noKey(`is no point of the curve ${jwk.crv}`);
  }
  return jwk;
}

function readJwk(kty: unknown, crv: unknown, x: string, y: () => string): PublicJwk {
  if (kty === 'OKP' && crv === 'Ed25519') return { kty, crv, x };
  if (kty === 'EC' && (crv === 'P-256' || crv === 'secp256k1')) return { kty, crv, x, y: y() };
  throw noKey('must be an Ed25519 (kty OKP), P-256 or secp256k1 (kty EC) key');
}

/** 32 bytes in unpadded base64url, the one way of writing them. */
function coordinate(given: Readonly<Record<string, unknown>>, name: 'x' | 'y'): string {
  const text = given[name];
  const bytes = typeof text === 'string' ? Buffer.from(text, 'base64url') : null;
  if (bytes?.length !== 32 || bytes.toString('base64url') !== text) {
    throw noKey(`must have ${name}: 32 bytes in base64url without padding`);
  }
  return text;
}

const noKey = (problem: string): DomainError =>
  new DomainError('invalid_value', `the public key ${problem}`, { field: 'public_key' });

/** RFC 7638 SHA-256 thumbprint, base64url: the keyid of the key's signatures. */
export function thumbprintOf(jwk: PublicJwk): string {
  const { kty, crv, x } = jwk;
  return hash('sha256', JSON.stringify(kty === 'OKP' ? { crv, kty, x } : { crv, kty, x, y: jwk.y }), 'base64url');
}

/** The public members of a private JWK. */
export function publicJwkOf(jwk: PrivateJwk): PublicJwk {
  const { kty, crv, x } = jwk;
  return kty === 'OKP' ? { kty, crv, x } : { kty, crv, x, y: jwk.y };
}
