/** Whom a request may be addressed to: the origins under which the service is known, by the Host that a client sends. */

/** Answers the origin that a Host stands for; null where the service is not known by it. */
export type FindOrigin = (host: string) => string | null;

const DEFAULT_PORT: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/** A client may write the scheme's default port, and any case; @authority (RFC 9421 §2.2.3) has neither. */
export function createAuthorities(origins: readonly string[]): FindOrigin {
  const known = new Map<string, string>();
  for (const origin of origins) {
    const { host, port, protocol } = new URL(origin);
    known.set(host, origin);
    if (port === '') known.set(`${host}:${DEFAULT_PORT[protocol]}`, origin);
  }
  return (host) => known.get(host) ?? known.get(host.toLowerCase()) ?? null;
}
