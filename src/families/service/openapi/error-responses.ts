/** The refusals an operation can answer: its own, and those that follow from its form. */
import type { DomainErrorCode } from '../../../core/errors.ts';
import type { AnyOperation } from '../../../hooks/operation.ts';
import { DOMAIN_STATUS } from '../../../hooks/refusals/errors.ts';
import { type ErrorForm, errorFormOf, type Refused } from './error-forms.ts';
import { answerHeaders } from './headers.ts';
import { takesSignature, verifiesSignature } from './security.ts';

const PHRASES: Record<number, string> = {
  400: 'Malformed',
  401: 'No valid credential or signature',
  403: 'Not allowed',
  404: 'Not there, or not of this account',
  406: 'Another version was asked for',
  409: 'In conflict with the present state',
  413: 'Too large',
  415: 'Not JSON',
  422: 'Well-formed but impossible',
  429: 'Too many requests: try again after Retry-After',
  500: 'The service failed',
  503: 'Not now: try again after Retry-After',
};

/** Every refusal of an operation, in order of status. */
function errorCodesOf(operation: AnyOperation): Refused[] {
  const domain = new Set<DomainErrorCode>(operation.errors);
  const answers: Refused[] = [{ status: 406, code: 'invalid_request', slug: 'not_acceptable' }];
  // Also one that takes no input: an unknown query parameter is refused everywhere.
  domain.add('invalid_value');
  answers.push({ status: 400, code: 'invalid_request', slug: 'malformed_request' });
  if (operation.access !== 'public') domain.add('unauthorized').add('forbidden');
  if (takesSignature(operation)) domain.add('signature_missing');
  if (verifiesSignature(operation)) domain.add('signature_invalid').add('nonce_reused');
  if (operation.limitClass !== 'none') domain.add('rate_limited');
  if (operation.idempotent) domain.add('idempotency_mismatch').add('idempotency_in_flight');
  // Also without a body of its own: one that is sent is read before it is refused.
  if (operation.method !== 'GET') {
    answers.push({ status: 400, code: 'invalid_request', slug: 'malformed_json' });
    answers.push({ status: 413, code: 'invalid_request', slug: 'body_too_large' });
    answers.push({ status: 415, code: 'invalid_request', slug: 'unsupported_media_type' });
  }
  answers.push({ status: 500, code: 'internal_error', slug: 'internal_error' });
  if (operation.success.otherwise?.status !== 503)
    for (const slug of ['timed_out', 'overloaded'] as const)
      answers.push({ status: 503, code: 'internal_error', slug });
  for (const slug of domain) answers.push({ ...DOMAIN_STATUS[slug], slug });
  return answers.sort((a, b) => a.status - b.status || a.slug.localeCompare(b.slug));
}

/** As OpenAPI responses, one per status, the slugs listed. */
export function errorResponses(operation: AnyOperation): Record<string, unknown> {
  const form = errorFormOf(operation);
  const byStatus = Map.groupBy(errorCodesOf(operation), ({ status }) => status);
  return Object.fromEntries(
    [...byStatus].map(([status, those]) => [
      String(status),
      {
        description: `${PHRASES[status] ?? 'Refused'}: ${namesOf(form, those)}`,
        headers: headersOf(operation, status),
        content: {
          'application/json': {
            schema: { $ref: `#/components/schemas/${form.name}` },
            example: form.example(those.find(({ slug, code }) => slug === code) ?? (those[0] as Refused)),
          },
        },
      },
    ]),
  );
}

function headersOf(operation: AnyOperation, status: number): Record<string, unknown> {
  return answerHeaders(
    ...(status === 401 ? (['WWW-Authenticate'] as const) : []),
    ...(status === 401 && verifiesSignature(operation) ? (['Accept-Signature'] as const) : []),
    ...(status === 429 || status === 503 ? (['Retry-After'] as const) : []),
  );
}

const namesOf = (form: ErrorForm, refused: readonly Refused[]): string =>
  [...new Set(refused.map((one) => `\`${form.nameOf(one)}\``))].join(', ');
