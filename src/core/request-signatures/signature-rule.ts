/** What a request's signature must cover and say (RFC 9421 §7.2.1 leaves that to each service). */

/** The application that the signature is for (RFC 9421 §2.3): one made for another service is worth nothing here. */
export const SIGNATURE_TAG = 'ashlar';
export const MAX_AGE_SECONDS = 300;
export const CLOCK_SKEW_SECONDS = 30;
/** A signature base is kept in the audit log, where no secret may be. */
const NEVER_COVERED = ['authorization', 'proxy-authorization', 'cookie'];
const VISIBLE_ASCII = /^[\x21-\x7e]{1,255}$/;

/** What there is to cover in a request. */
export interface SignedParts {
  readonly body: boolean;
  readonly idempotencyKey: boolean;
}

/** Component identifiers that have to be covered, in the order in which we sign them. */
export function requiredComponents(parts: SignedParts): string[] {
  return [
    '@method',
    '@authority',
    '@path',
    '@query',
    ...(parts.body ? ['content-type', 'content-digest'] : []),
    ...(parts.idempotencyKey ? ['idempotency-key'] : []),
  ];
}

/** The signature that would be taken, as an Accept-Signature header (RFC 9421 §5.1). */
export function acceptSignature(parts: SignedParts): string {
  const components = requiredComponents(parts).map((name) => `"${name}"`);
  return `sig=(${components.join(' ')});created;tag="${SIGNATURE_TAG}"`;
}

export interface SignatureClaims {
  /** Serialized identifiers: a component with parameters is not the component itself. */
  readonly components: readonly string[];
  readonly keyid?: string | undefined;
  readonly nonce?: string | undefined;
  readonly tag?: string | undefined;
  /** Unix seconds. */
  readonly created?: number | undefined;
  readonly expires?: number | undefined;
}

/** What a signature claims against the rule, every mistake at once; empty where it may be verified. `now` in Unix seconds. */
export function ruleProblems(claims: SignatureClaims, parts: SignedParts, now: number): string[] {
  const { components, keyid, nonce, tag, created, expires } = claims;
  const problems: string[] = [];
  const missing = requiredComponents(parts).filter((name) => !components.includes(name));
  if (missing.length > 0) problems.push(`it does not cover ${missing.join(', ')}`);
  for (const name of components) {
    const field = name.split(';', 1)[0] as string;
    if (NEVER_COVERED.includes(field))
      problems.push(`it covers ${field}, a secret that must not be in a signature base`);
  }
  const absent = Object.entries({ created, keyid, nonce, tag }).filter(([, value]) => value === undefined);
  if (absent.length > 0) problems.push(`it lacks the parameter ${absent.map(([name]) => name).join(', ')}`);
  if (tag !== undefined && tag !== SIGNATURE_TAG) problems.push(`its tag must be "${SIGNATURE_TAG}"`);
  if (nonce !== undefined && !VISIBLE_ASCII.test(nonce))
    problems.push('its nonce must have 1 to 255 visible ASCII characters');
  if (created !== undefined) problems.push(...timeProblems(created, now));
  if (expires !== undefined && expires + CLOCK_SKEW_SECONDS < now) problems.push(`it expired ${now - expires} s ago`);
  return problems;
}

/** Unix seconds of the year 5138; milliseconds of 1973. */
const MILLISECONDS_FROM = 100_000_000_000;

function timeProblems(created: number, now: number): string[] {
  if (created >= MILLISECONDS_FROM) return [`its created is in Unix seconds: ${created} looks like milliseconds`];
  const age = now - created;
  if (age > MAX_AGE_SECONDS) {
    return [`it was created ${age} s ago by this service's clock (${now}): at most ${MAX_AGE_SECONDS} s are allowed`];
  }
  if (age < -CLOCK_SKEW_SECONDS) {
    return [`it was created ${-age} s in the future by this service's clock (${now}): set the signer's clock`];
  }
  return [];
}
