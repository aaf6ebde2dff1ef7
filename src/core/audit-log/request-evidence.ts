/** Whether what an audit entry keeps of a request's signature holds, from the entry and the public key alone. */
import { createPublicKey, type JsonWebKey, verify } from 'node:crypto';
import type { PublicJwk } from '../request-signatures/signing-algorithm.ts';
import type { AuditEntry } from './audit-entry.ts';

export const evidenceKey = (jwk: PublicJwk) => ({
  jwk,
  key: createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' }),
});

/** A request with the signature that it came with. */
export type SignedEntry = Pick<AuditEntry, 'method' | 'path' | 'digest'> & {
  readonly signature: Pick<NonNullable<AuditEntry['signature']>, 'base' | 'key_id' | 'nonce' | 'value'> | null;
};

export type EvidenceKey = ReturnType<typeof evidenceKey>;

/** What is wrong with the signature of an entry that keeps base and value; null where it holds and says what the entry says. */
export function evidenceProblem(entry: SignedEntry, { jwk, key }: EvidenceKey): string | null {
  const { signature } = entry;
  if (signature === null || signature.base === null || signature.value === null) return null;
  const base = Buffer.from(signature.base, 'latin1');
  const value = Buffer.from(signature.value, 'base64');
  const holds =
    jwk.crv === 'Ed25519'
      ? verify(null, base, key, value)
      : verify('sha256', base, { key, dsaEncoding: 'ieee-p1363' }, value);
  if (!holds) return 'the signature of its request does not verify under its key';
  const lines = signature.base.split('\n');
  const other = Object.entries(covered(entry, lines)).find(([, holds]) => !holds);
  if (other !== undefined) return `its ${other[0]} is not what its request's signature covers`;
  const parameters = lines.at(-1) ?? '';
  if (!parameters.includes(`;keyid=${quoted(signature.key_id)}`))
    return "its key is not the one its request's signature names";
  if (!parameters.includes(`;nonce=${quoted(signature.nonce)}`))
    return "its nonce is not the one its request's signature names";
  return null;
}

/** Whether each thing that the entry says of its request is what the lines of the signature base say. */
function covered({ method, path, digest }: SignedEntry, lines: readonly string[]): Record<string, boolean> {
  // A long one was cut, and ends in the middle of itself.
  const cut = path === null || path.endsWith('…');
  const [, pathname = '', query = '?'] = /^([^?]*)(\?.*)?$/s.exec(path ?? '') ?? [];
  const digests = lines.find((line) => line.startsWith(CONTENT_DIGEST))?.slice(CONTENT_DIGEST.length);
  return {
    method: lines.includes(`"@method": ${method}`),
    path: cut || lines.includes(`"@path": ${pathname}`),
    query: cut || lines.includes(`"@query": ${query}`),
    // Others may stand beside the one that is kept (RFC 9530 §2).
    digest: digest === null || (digests?.split(',').some((one) => one.trim() === digest) ?? false),
  };
}

const CONTENT_DIGEST = '"content-digest": ';

/** A string of a structured field (RFC 8941 §3.3.3). */
const quoted = (text: string): string => `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
