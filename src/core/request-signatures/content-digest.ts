/** RFC 9530 Content-Digest. */
import { hash } from 'node:crypto';

export const contentDigest = (body: Uint8Array): string => `sha-256=:${hash('sha256', body, 'base64')}:`;

/** A dictionary member: an algorithm and a byte sequence (RFC 8941 §3.2, §3.3.5). Base64 has no comma, so members split at commas. */
const MEMBER = /^[ \t]*([a-z*][a-z0-9_.*-]*)=:([A-Za-z0-9+/]*={0,2}):[ \t]*$/;

/**
 * What is wrong with a Content-Digest for a body whose own is `digest`; null where its sha-256 is there and matches. Others beside it are not
 * looked at.
 */
export function contentDigestProblem(header: string, digest: string): string | null {
  const digests = new Map<string, string>();
  for (const member of header.split(',')) {
    const [, algorithm, value] = MEMBER.exec(member) ?? [];
    if (algorithm === undefined || value === undefined) return 'is malformed: it looks like sha-256=:<base64>:';
    if (digests.has(algorithm)) return `names ${algorithm} twice`;
    digests.set(algorithm, value);
  }
  const sent = digests.get('sha-256');
  if (sent === undefined) return 'has no sha-256';
  return `sha-256=:${sent}:` === digest ? null : 'does not match the body that arrived';
}
