/**
 * That whoever enrols a key holds it: a compact JWS (RFC 7515) by the new key, header {typ: "ashlar-pop+jwt", alg}, payload
 * {aud: account id, sub: credential id, iat: Unix seconds}.
 */
import { createPrivateKey, type JsonWebKey, sign } from 'node:crypto';
import { DomainError } from '../errors.ts';
import { type PrivateJwk, type PublicJwk, parsePublicJwk, publicJwkOf, thumbprintOf } from './signing-algorithm.ts';
import type { VerifyBytes } from './verify-signature.ts';

const PROOF_TYPE = 'ashlar-pop+jwt';
const PROOF_LIFE_SECONDS = 300;

/** RFC 7518 §3.4, RFC 8037, RFC 8812, RFC 9864. */
const JOSE_NAMES: Readonly<Record<PublicJwk['crv'], readonly string[]>> = {
  Ed25519: ['EdDSA', 'Ed25519'],
  'P-256': ['ES256'],
  secp256k1: ['ES256K'],
};

export interface ProofClaims {
  readonly accountId: string;
  readonly credentialId: string;
}

/** `now` in Unix seconds. Throws `invalid_value` at `proof`, saying what is wrong with it. */
export async function checkProof(
  proof: string,
  jwk: PublicJwk,
  claims: ProofClaims,
  { verifyBytes, now }: { verifyBytes: VerifyBytes; now: number },
): Promise<void> {
  const [head = '', body = '', value = '', ...more] = proof.split('.');
  const header = decoded(head);
  const payload = decoded(body);
  if (more.length > 0 || header === null || payload === null)
    throw refused('is no compact JWS: header.payload.signature');
  const algorithms = JOSE_NAMES[jwk.crv];
  if (header.typ !== PROOF_TYPE) throw refused(`has another typ than ${PROOF_TYPE}`);
  if (!algorithms.includes(String(header.alg)))
    throw refused(`must have the alg of its key: ${algorithms.join(' or ')}`);
  if (header.crit !== undefined) throw refused('has critical headers, none of which is known');
  if (header.jwk !== undefined && thumbprintOf(parsePublicJwk(header.jwk)) !== thumbprintOf(jwk)) {
    throw refused('names another key than public_key');
  }
  if (payload.aud !== claims.accountId) throw refused(`must have the account as its aud: ${claims.accountId}`);
  if (payload.sub !== claims.credentialId) throw refused(`must have the credential as its sub: ${claims.credentialId}`);
  const { iat } = payload;
  if (typeof iat !== 'number' || Math.abs(now - iat) > PROOF_LIFE_SECONDS) {
    throw refused(`must have been made within ${PROOF_LIFE_SECONDS} s (iat) of this service's clock: ${now}`);
  }
  if (!(await verifyBytes(jwk, Buffer.from(`${head}.${body}`), Buffer.from(value, 'base64url')))) {
    throw refused('is not signed by public_key');
  }
}

/** What a client sends. */
export function makeProof(jwk: PrivateJwk, { accountId, credentialId }: ProofClaims, now: number): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const header = { typ: PROOF_TYPE, alg: JOSE_NAMES[jwk.crv][0], jwk: publicJwkOf(jwk) };
  const text = `${part(header)}.${part({ aud: accountId, sub: credentialId, iat: now })}`;
  const key = createPrivateKey({ key: jwk as JsonWebKey, format: 'jwk' });
  const bytes = Buffer.from(text);
  const value = jwk.kty === 'OKP' ? sign(null, bytes, key) : sign('sha256', bytes, { key, dsaEncoding: 'ieee-p1363' });
  return `${text}.${value.toString('base64url')}`;
}

function decoded(part: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

const refused = (problem: string): DomainError =>
  new DomainError('invalid_value', `the proof of possession ${problem}`, { field: 'proof', reason: problem });
