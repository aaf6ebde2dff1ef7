/** A request's signature against the rule of this service, its key and its bytes. */
import { type ComponentDescriptor, componentIdentity, type FieldOccurrence } from 'http-message-sig';
import { DomainError } from '../errors.ts';
import { contentDigestProblem } from './content-digest.ts';
import { requiredComponents, ruleProblems, type SignedParts } from './signature-rule.ts';
import type { PublicJwk, SignatureAlgorithm } from './signing-algorithm.ts';
import { SignatureInvalid, type VerifyMessage } from './verify-signature.ts';

export interface ReceivedRequest {
  readonly method: string;
  /** The origin that the request's Host stands for (authorities.ts). */
  readonly origin: string;
  /** Path and query as they came. */
  readonly target: string;
  /** Names in lower case, several of one name joined. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly parts: SignedParts;
  /** Answers leave the body's digest out of the signature base: it could confirm a guess of a secret. */
  readonly secretBody: boolean;
}

export interface VerifiedRequest {
  readonly keyId: string;
  readonly algorithm: SignatureAlgorithm;
  readonly nonce: string;
  /** Unix seconds. */
  readonly created: number;
  readonly base: string;
  /** Base64. */
  readonly value: string;
}

/** Answers the enrolled key; throws what the caller is to be told. May be asked for a key id that nobody has. */
export type ResolveKey = (keyId: string) => PublicJwk | Promise<PublicJwk>;

export const isSigned = ({ headers }: Pick<ReceivedRequest, 'headers'>): boolean =>
  headers.signature !== undefined || headers['signature-input'] !== undefined;

/**
 * Verifies the one signature that a request carries; its body is compared by checkDigest, when it is there. `now` in Unix seconds.
 * @throws DomainError `signature_missing`, `signature_invalid` (saying every mistake that can be told), and what `resolveKey` throws.
 */
export async function verifyRequest(
  request: ReceivedRequest,
  { verifyMessage, resolveKey, now }: { verifyMessage: VerifyMessage; resolveKey: ResolveKey; now: number },
): Promise<VerifiedRequest> {
  const { method, origin, target, headers, parts } = request;
  if (!isSigned(request)) throw signatureMissing(parts);
  if (headers.signature === undefined || headers['signature-input'] === undefined) {
    throw signatureInvalid('Signature and Signature-Input belong together, and one of them is missing');
  }
  const fields = fieldsOf(headers);
  try {
    const verified = await verifyMessage(
      { kind: 'request', method, targetUri: origin + target, fields },
      (candidate) => {
        const { created, expires, keyid, nonce, tag } = candidate.parameters;
        const components = candidate.components.map(identifierOf);
        const problems = ruleProblems({ components, created, expires, keyid, nonce, tag }, parts, now);
        if (parts.body && headers['content-digest'] === undefined && !components.includes('content-digest'))
          problems.push(
            'the request has no Content-Digest: send sha-256=:<base64>: of its body (RFC 9530), and cover it',
          );
        if (problems.length > 0) throw signatureInvalid(problems.join('; '));
        return resolveKey(keyid as string);
      },
    );
    const { created, keyid, nonce } = verified.parameters as { created: number; keyid: string; nonce: string };
    const value = Buffer.from(verified.value).toString('base64');
    return { keyId: keyid, algorithm: verified.algorithm, nonce, created, base: verified.base, value };
  } catch (error) {
    if (!(error instanceof SignatureInvalid)) throw error;
    if (error.base === null) throw signatureInvalid(error.message);
    const base = request.secretBody ? error.base.replace(DIGEST_LINE, '$1(as it was sent)') : error.base;
    throw signatureInvalid(error.message, `${error.message}; the base here is:\n${base}`);
  }
}

/** Of a base, in which a field's value has no line break. */
const DIGEST_LINE = /^("[^"\n]*digest"[^:\n]*: ).*$/gm;

/** `digest`: of the bytes that came. @throws DomainError `signature_invalid` where Content-Digest is another. */
export function checkDigest(header: string | string[] | undefined, digest: string): void {
  const problem = typeof header === 'string' ? contentDigestProblem(header, digest) : 'is missing';
  if (problem !== null) {
    throw new DomainError('signature_invalid', `Content-Digest ${problem}`, { field: 'headers.content-digest' });
  }
}

export function signatureMissing(parts: SignedParts): DomainError {
  return new DomainError(
    'signature_missing',
    `this operation needs a signature (RFC 9421) over ${requiredComponents(parts).join(', ')} by a key enrolled for the credential: /docs/signing shows how`,
    { field: 'headers.signature' },
  );
}

export const signatureInvalid = (problem: string, reason?: string): DomainError =>
  new DomainError('signature_invalid', `the signature is not valid: ${problem}`, {
    field: 'headers.signature',
    ...(reason === undefined ? {} : { reason }),
  });

/** Most have no parameters, and serializing those takes its time. */
function identifierOf(one: ComponentDescriptor): string {
  for (const _ in one.parameters) return componentIdentity(one).replace(/^"([^"]*)"/, '$1');
  return one.name;
}

/** What a signature may cover: the fields that ours do, and those it names. Other headers need not even be ASCII. */
function fieldsOf(headers: ReceivedRequest['headers']): FieldOccurrence[] {
  const input = String(headers['signature-input'] ?? '');
  const fields: FieldOccurrence[] = [];
  for (const name in headers) {
    if (name !== 'signature' && name !== 'signature-input' && !input.includes(`"${name}"`)) continue;
    for (const value of [headers[name] ?? []].flat()) fields.push({ name, value });
  }
  return fields;
}
