/** What a refusal looks like on the wire: one table from domain code to status and family A's code, and a body per family. */
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { DomainError, type DomainErrorCode, type FieldError, type TriedStep } from '../../core/errors.ts';
import type { FindOrigin } from '../../core/request-signatures/authorities.ts';
import { unavailableIfExhausted } from '../../outages/exhausted.ts';
import { challengeHeaders } from '../credentials/signature-challenge.ts';
import type { Family } from '../operation.ts';
import { inferenceBody } from './inference-errors.ts';
import { type InternalFault, internalFault } from './internal-fault.ts';
import { oauthErrorBody, oauthErrorHeaders } from './oauth-errors.ts';
import type { ErrorCode, HttpSlug, Refusal } from './refusal.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Which public origin a Host stands for. */
    originOf: FindOrigin;
  }
}

interface Row {
  status: number;
  code: ErrorCode;
  retryAfterSeconds?: number;
}

const malformed: Row = { status: 400, code: 'invalid_request' };
const impossible: Row = { status: 422, code: 'invalid_request' };
const conflict: Row = { status: 409, code: 'invalid_request' };
const later: Row = { status: 503, code: 'internal_error', retryAfterSeconds: 5 };

/** Every code of the domain, so that a new one does not compile before it has a status. */
export const DOMAIN_STATUS: Record<DomainErrorCode, Row> = {
  invalid_value: malformed,
  invalid_amount: malformed,
  invalid_fee_rate: malformed,
  invalid_address: malformed,
  wrong_network: malformed,
  invalid_descriptor: malformed,
  invalid_mnemonic: malformed,
  invalid_backup: malformed,
  invalid_label_file: malformed,
  invalid_psbt: malformed,
  invalid_key: malformed,
  invalid_script: malformed,
  invalid_transaction: malformed,
  invalid_signature: malformed,
  invalid_message: malformed,
  unsupported: malformed,
  unsupported_grant_type: malformed,
  invalid_scope: malformed,
  insufficient_funds: impossible,
  dust: impossible,
  fee_too_high: impossible,
  fee_too_low: impossible,
  no_fee_estimate: impossible,
  not_enough_data: impossible,
  time_out_of_range: impossible,
  amount_too_small_for_fee: impossible,
  too_large: impossible,
  too_many_ancestors: impossible,
  truc_violation: impossible,
  coin_unavailable: impossible,
  nothing_to_spend: impossible,
  signing_unavailable: impossible,
  policy_refused: impossible,
  idempotency_mismatch: impossible,
  psbt_not_modifiable: impossible,
  psbt_mismatch: impossible,
  psbt_incomplete: impossible,
  nothing_signed: impossible,
  unsafe_to_sign: impossible,
  not_representable: impossible,
  not_a_participant: impossible,
  no_index: impossible,
  source_incapable: impossible,
  contract_refused: impossible,
  announcement_missing: impossible,
  connection_failed: impossible,
  not_configured: impossible,
  state_conflict: conflict,
  descendants_would_be_evicted: conflict,
  birthday_pruned: conflict,
  idempotency_in_flight: { ...conflict, retryAfterSeconds: 1 },
  already_exists: conflict,
  attestation_missing: conflict,
  oracle_frozen: conflict,
  outcome_conflict: conflict,
  precondition_failed: { status: 412, code: 'invalid_request' },
  gone: { status: 410, code: 'not_found' },
  not_found: { status: 404, code: 'not_found' },
  unauthorized: { status: 401, code: 'unauthorized' },
  totp_required: { status: 401, code: 'unauthorized' },
  signature_missing: { status: 401, code: 'unauthorized' },
  signature_invalid: { status: 401, code: 'unauthorized' },
  nonce_reused: { status: 401, code: 'unauthorized' },
  forbidden: { status: 403, code: 'forbidden' },
  policy_denied: { status: 403, code: 'forbidden' },
  node_unavailable: later,
  node_syncing: { ...later, retryAfterSeconds: 30 },
  unavailable: later,
  rate_limited: { status: 429, code: 'rate_limited' },
};

/** A refusal of HTTP's own: a wrong method, media type or version. */
export class HttpRefusal extends Error {
  readonly refusal: Refusal;

  constructor(
    status: number,
    slug: HttpSlug | DomainErrorCode,
    message: string,
    more: { field?: string; headers?: Record<string, string>; code?: ErrorCode } = {},
  ) {
    super(message);
    this.name = 'HttpRefusal';
    const { field = '', headers = {}, code = status < 500 ? 'invalid_request' : 'internal_error' } = more;
    this.refusal = { status, code, slug, message, field, headers };
  }
}

/** Fastify's own errors that a caller can cause. What is not here is ours, and answered 500. */
const FASTIFY_ERRORS: Record<string, { status: number; slug: HttpSlug; message: string; field?: string }> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: {
    status: 415,
    slug: 'unsupported_media_type',
    message: 'this content type is not supported: send application/json',
    field: 'headers.content-type',
  },
  FST_ERR_CTP_BODY_TOO_LARGE: {
    status: 413,
    slug: 'body_too_large',
    message:
      "the body is too large: 1 MiB are taken, 10 MiB of PSBTs, of contracts' messages and where many things are sent at once, 16 KiB of logins and token requests",
    field: 'body',
  },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: {
    status: 400,
    slug: 'malformed_request',
    message: 'the body does not have the length that Content-Length says',
    field: 'headers.content-length',
  },
  FST_ERR_CTP_INVALID_JSON_BODY: {
    status: 400,
    slug: 'malformed_json',
    message: 'the body is not valid JSON',
    field: 'body',
  },
  FST_ERR_BAD_URL: {
    status: 400,
    slug: 'malformed_request',
    message: 'the path is not a valid URL path',
    field: 'path',
  },
  FST_ERR_MAX_PARAM_LENGTH: {
    status: 400,
    slug: 'malformed_request',
    message: 'a part of the path is longer than any id',
    field: 'path',
  },
  FST_ERR_ASYNC_CONSTRAINT: { status: 400, slug: 'malformed_request', message: 'a header is not valid' },
};

/** Nobody reads it: the caller is gone. It keeps the caller's doing out of the log of faults. */
const CUT_OFF = { status: 400, slug: 'malformed_request', message: 'the body was cut off', field: 'body' } as const;

/** What Node's request stream says when its caller hangs up within a body. */
const isCutOff = (error: unknown): boolean =>
  error instanceof Error && error.message === 'aborted' && (error as NodeJS.ErrnoException).code === 'ECONNRESET';

/** Turns whatever was thrown into a refusal; `fault` tells of an error that is ours and belongs in the log. */
export function refusalOf(error: unknown): { refusal: Refusal; fault: InternalFault | null } {
  if (error instanceof HttpRefusal) return { refusal: error.refusal, fault: null };
  if (error instanceof DomainError) return { refusal: domainRefusal(error), fault: null };
  const known = isCutOff(error) ? CUT_OFF : FASTIFY_ERRORS[(error as FastifyError | null)?.code ?? ''];
  if (known !== undefined) {
    const refusal = new HttpRefusal(known.status, known.slug, known.message, {
      field: known.field ?? '',
    }).refusal;
    return { refusal, fault: null };
  }
  const exhausted = unavailableIfExhausted(error);
  // The machine's doing: the log has it, the caller may try again.
  if (exhausted instanceof DomainError) return { refusal: domainRefusal(exhausted), fault: internalFault(error) };
  const refusal = new HttpRefusal(
    500,
    'internal_error',
    'the service failed; its log has the cause under this request id',
  ).refusal;
  return { refusal, fault: internalFault(error) };
}

function domainRefusal(error: DomainError): Refusal {
  const { status, code, retryAfterSeconds } = DOMAIN_STATUS[error.code];
  const wait = error.details.retryAfterSeconds ?? retryAfterSeconds;
  const field = error.details.field ?? '';
  return {
    status,
    code,
    slug: error.code,
    message: error.message,
    reason: saysTheSame(error) ? undefined : error.details.reason,
    field,
    errors: error.details.errors,
    steps: error.details.steps,
    headers: wait === undefined ? {} : { 'retry-after': String(wait) },
  };
}

/** A reason that adds nothing: the message, or what it says of the body as a whole. */
const saysTheSame = ({ message, details: { field, reason } }: DomainError): boolean =>
  message === reason || (field === 'body' && message === `body ${reason}`);

interface StandardErrorBody {
  error: {
    code: ErrorCode;
    message: string;
    details: {
      field: string;
      reason?: string | undefined;
      code: string;
      docs: string;
      errors?: readonly FieldError[] | undefined;
      steps?: readonly TriedStep[] | undefined;
    };
  };
}

function standardBody({ code, message, field, reason, slug, errors, steps }: Refusal, docs: string): StandardErrorBody {
  return { error: { code, message, details: { field, reason, code: slug, docs, errors, steps } } };
}

function resourceBody(refusal: Refusal, docs: string) {
  const { message, ...error } = standardBody(refusal, docs).error;
  return { message, error };
}

/** Families D and F have forms of their own; every other one takes the standard form. */
const FAMILY_BODY: Partial<Record<Family, (refusal: Refusal, docs: string) => unknown>> = {
  d: resourceBody,
  f: inferenceBody,
  oauth: oauthErrorBody,
};
const FAMILY_HEADERS: Partial<Record<Family, (refusal: Refusal) => Record<string, string>>> = {
  oauth: oauthErrorHeaders,
};

/** `origin`: the public one by which it was asked; '' links the explanation by its path. */
export const errorBody = (family: Family, refusal: Refusal, origin = ''): unknown =>
  (FAMILY_BODY[family] ?? standardBody)(refusal, `${origin}/docs/errors#${refusal.slug}`);

/** Families with forms of their own: what is not there under their paths is refused in these, too. */
const FAMILY_PATHS: readonly (readonly [Family, RegExp])[] = [
  ['oauth', /^\/oauth\//],
  ['d', /^\/api\/v1\/(user|transaction|network)(?=[/?]|$)/],
  ['f', /^\/v1\/ai(?=[/?]|$)/],
];

const familyAt = (url: string): Family => FAMILY_PATHS.find(([, paths]) => paths.test(url))?.[0] ?? 'service';

const CHALLENGE = { 'www-authenticate': 'Bearer realm="ashlar"' };

/** Answers a refusal in the family's body. */
export function sendRefusal(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { refusal, fault } = refusalOf(error);
  if (fault !== null)
    request.log.error(
      { fault, trace_id: request.span?.traceId, operation: request.routeOptions.config?.declaration?.id },
      'internal error',
    );
  const { declaration } = request.routeOptions.config ?? {};
  const limitClass = (request.caller ?? null) === null ? 'address' : (declaration?.limitClass ?? 'standard');
  request.server.requestMetrics?.refused(refusal.status, refusal.slug, limitClass);
  const family = declaration?.family ?? familyAt(request.url);
  return reply
    .status(refusal.status)
    .headers({
      // Also of what takes no credential, login say (RFC 9110 §15.5.2).
      ...(refusal.status === 401 && !reply.hasHeader('www-authenticate') ? CHALLENGE : {}),
      ...FAMILY_HEADERS[family]?.(refusal),
      ...refusal.headers,
      ...challengeHeaders(request, refusal.slug),
    })
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(errorBody(family, refusal, request.server.originOf(request.host ?? '') ?? '')));
}
