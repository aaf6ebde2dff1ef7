/** The refusals an operation can answer: its own, and those that follow from its form. */
import type { DomainErrorCode } from '../../../core/errors.ts';
import type { AnyOperation } from '../../../hooks/operation.ts';
import { DOMAIN_STATUS } from '../../../hooks/refusals/errors.ts';
import type { HttpSlug } from '../../../hooks/refusals/refusal.ts';
import { type ErrorForm, errorFormOf, type Refused } from './error-forms.ts';
import { answerHeaders } from './headers.ts';
import { takesSignature, verifiesSignature } from './security.ts';

type Key = number | 'default';

/** By status: the name of the shared response, RFC 9110's phrase, and what it means. */
const RESPONSES: Readonly<Partial<Record<Key, readonly [name: string, phrase: string]>>> = {
  400: ['BadRequest', 'Malformed'],
  401: ['Unauthorized', 'No valid credential or signature'],
  403: ['Forbidden', 'Not allowed'],
  404: ['NotFound', 'Not there, or not of this account'],
  409: ['Conflict', 'In conflict with the present state'],
  410: ['Gone', 'No longer kept'],
  412: ['PreconditionFailed', 'Changed since it was read'],
  422: ['UnprocessableContent', 'Valid, but cannot be done'],
  503: ['ServiceUnavailable', 'Unavailable now: retry after Retry-After'],
  default: ['Refusal', 'Errors that any request can get: 406, 413, 415, 429, 500, 503'],
};

const domain = (slug: DomainErrorCode): Refused => ({ ...DOMAIN_STATUS[slug], slug });
const invalid = (status: number, slug: HttpSlug): Refused => ({ status, code: 'invalid_request', slug });
const failed = (status: number, slug: HttpSlug): Refused => ({ status, code: 'internal_error', slug });

/** Any request can meet them, whatever the operation: `default` says them together. */
const ANYWHERE: readonly Refused[] = [
  invalid(406, 'not_acceptable'),
  invalid(413, 'body_too_large'),
  invalid(415, 'unsupported_media_type'),
  domain('rate_limited'),
  failed(500, 'internal_error'),
  failed(503, 'timed_out'),
  failed(503, 'overloaded'),
];
/** Those that follow from an operation's form. An unknown query parameter is refused, and a body read, also where none is taken. */
const BY_FORM: readonly (readonly [Refused, of: (operation: AnyOperation) => boolean])[] = [
  [domain('invalid_value'), () => true],
  [invalid(400, 'malformed_request'), () => true],
  [invalid(400, 'malformed_json'), ({ method }) => method !== 'GET'],
  [domain('unauthorized'), ({ access }) => access !== 'public'],
  [domain('signature_missing'), takesSignature],
  [domain('signature_invalid'), verifiesSignature],
  [domain('nonce_reused'), verifiesSignature],
  [domain('forbidden'), ({ access }) => access !== 'public'],
  [domain('not_found'), () => false],
  [domain('gone'), () => false],
  [domain('idempotency_in_flight'), ({ idempotent }) => idempotent],
  [domain('idempotency_mismatch'), ({ idempotent }) => idempotent],
  [domain('precondition_failed'), ({ conditional }) => conditional === true],
];
const USUAL = [...BY_FORM.map(([refused]) => refused), ...ANYWHERE];

/** References to the shared responses, with a description of their own where an operation has refusals of its own. */
export function errorResponses(operation: AnyOperation): Record<string, unknown> {
  const form = errorFormOf(operation);
  const declared = operation.errors.map(domain).filter(({ slug }) => slug !== 'rate_limited');
  const formal = BY_FORM.flatMap(([refused, of]) => (of(operation) ? [refused] : []));
  const responses: Record<string, unknown> = {};
  for (const [status, those] of Map.groupBy([...formal, ...declared], (refused) => refused.status)) {
    const special = those.some(({ slug }) => USUAL.every((refused) => refused.slug !== slug));
    const also = ANYWHERE.filter((refused) => refused.status === status);
    responses[status] = {
      $ref: `#/components/responses/${nameOf(form, status)}`,
      ...(special ? { description: descriptionOf(form, status, [...those, ...also]) } : {}),
    };
  }
  return { ...responses, default: { $ref: `#/components/responses/${nameOf(form, 'default')}` } };
}

/** The shared responses to which these operations refer. */
export function errorComponents(operations: readonly AnyOperation[]): Record<string, unknown> {
  const shared: Record<string, unknown> = {};
  for (const operation of operations) {
    const form = errorFormOf(operation);
    for (const name of Object.keys(errorResponses(operation))) {
      const key = name === 'default' ? name : Number(name);
      shared[nameOf(form, key)] ??= sharedResponse(form, key);
    }
  }
  return shared;
}

function sharedResponse(form: ErrorForm, key: Key): object {
  const those = key === 'default' ? ANYWHERE : USUAL.filter(({ status }) => status === key);
  return {
    description: descriptionOf(form, key, those),
    headers: answerHeaders(
      ...(key === 401 ? (['WWW-Authenticate', 'Accept-Signature'] as const) : []),
      ...(key === 503 || key === 'default' ? (['Retry-After'] as const) : []),
    ),
    content: {
      'application/json': {
        schema: { $ref: `#/components/schemas/${form.name}` },
        example: form.example(those.find(({ slug, code }) => slug === code) ?? (those[0] as Refused)),
      },
    },
  };
}

function responseOf(key: Key): readonly [name: string, phrase: string] {
  const response = RESPONSES[key];
  if (response === undefined) throw new Error(`refusals with status ${key} are not described`);
  return response;
}

const nameOf = (form: ErrorForm, key: Key): string => form.prefix + responseOf(key)[0];

function descriptionOf(form: ErrorForm, key: Key, refused: readonly Refused[]): string {
  const names = new Set(refused.map((one) => `\`${form.nameOf(one)}\``));
  return `${responseOf(key)[1]}: ${[...names].join(', ')}`;
}
