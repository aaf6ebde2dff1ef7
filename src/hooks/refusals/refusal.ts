/** A refusal, before it is put into a family's body. */
import type { DomainErrorCode, FieldError, TriedStep } from '../../core/errors.ts';

export type ErrorCode =
  | 'invalid_request'
  | 'unauthorized'
  | 'forbidden'
  | 'not_found'
  | 'rate_limited'
  | 'internal_error';

/** Refusals that HTTP itself raises, beside the domain's. */
export type HttpSlug =
  | 'malformed_request'
  | 'malformed_json'
  | 'unsupported_media_type'
  | 'body_too_large'
  | 'method_not_allowed'
  | 'not_acceptable'
  | 'timed_out'
  | 'stopping'
  | 'overloaded'
  | 'internal_error';

/** A refusal ready to be put into a family's body. */
export interface Refusal {
  status: number;
  code: ErrorCode;
  slug: DomainErrorCode | HttpSlug;
  message: string;
  /** What the message does not say; of a part of the request that has not its form, what it must be. */
  reason?: string | undefined;
  field: string;
  errors?: readonly FieldError[] | undefined;
  steps?: readonly TriedStep[] | undefined;
  headers: Record<string, string>;
}
