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
  const said = baseOf(signature.base);
  if (said === null) return 'what its signature is over is no request (RFC 9421, section 2.5)';
  const { parts, parameters } = said;
  const other = Object.entries(covered(entry, parts)).find(([, holds]) => !holds);
  if (other !== undefined) return `its ${other[0]} is not what its request's signature covers`;
  if (!parameters.includes(`;keyid=${quoted(signature.key_id)}`))
    return "its key is not the one its request's signature names";
  if (!parameters.includes(`;nonce=${quoted(signature.nonce)}`))
    return "its nonce is not the one its request's signature names";
  return null;
}

/** Characters: more than the headers of a request can have. */
const MAX_BASE = 65_536;
const STRING = '"(?:[^"\\\\]|\\\\.)*"';
const COMPONENT = `${STRING}(?:;[a-z*][a-z0-9_.*-]*(?:=(?:${STRING}|[^\\s;()"]+))?)*`;
const PARAMETERS = new RegExp(`^"@signature-params": \\(((?:${COMPONENT}(?: (?=")|(?=\\))))*)\\)(;.*)$`);

/**
 * The components that a signature base has, by identifier, and the signature's parameters; null where a line is none of those that the last
 * one lists, in their order: the same key may have signed other texts, with lines of a stranger's in them.
 */
function baseOf(base: string): { parts: ReadonlyMap<string, string>; parameters: string } | null {
  if (base.length > MAX_BASE) return null;
  const lines = base.split('\n');
  const [, listed = '', parameters = ''] = PARAMETERS.exec(lines.pop() ?? '') ?? [];
  const names = listed.match(new RegExp(COMPONENT, 'g')) ?? [];
  if (parameters === '' || names.length !== lines.length || new Set(names).size !== names.length) return null;
  const parts = new Map<string, string>();
  for (const [at, name] of names.entries()) {
    const line = lines[at]!;
    if (!line.startsWith(`${name}: `)) return null;
    parts.set(name, line.slice(name.length + 2));
  }
  return { parts, parameters };
}

/** Whether each thing that the entry says of its request is what the signature covers. */
function covered({ method, path, digest }: SignedEntry, parts: ReadonlyMap<string, string>): Record<string, boolean> {
  // A long one was cut, and ends in the middle of itself.
  const cut = path === null || path.endsWith('…');
  const [, pathname = '', query = '?'] = /^([^?]*)(\?.*)?$/s.exec(path ?? '') ?? [];
  // Others may stand beside the one that is kept (RFC 9530 §2).
  const digests = parts.get('"content-digest"')?.split(',') ?? [];
  return {
    method: parts.get('"@method"') === method,
    path: cut || parts.get('"@path"') === pathname,
    query: cut || parts.get('"@query"') === query,
    digest: digest === null || digests.some((one) => one.trim() === digest),
  };
}

/** A string of a structured field (RFC 8941 §3.3.3). */
const quoted = (text: string): string => `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
