/** Family F's errors, which clients of OpenAI know: all members are strings, `param` is '' where no parameter is at fault. */
import type { ErrorCode, Refusal } from './refusal.ts';

export const INFERENCE_CODES = {
  invalid_request: 'invalid_request_error',
  unauthorized: 'authentication_error',
  forbidden: 'permission_denied',
  not_found: 'not_found',
  rate_limited: 'rate_limit_exceeded',
  internal_error: 'server_error',
} as const satisfies Record<ErrorCode, string>;

interface InferenceErrorBody {
  error: { code: (typeof INFERENCE_CODES)[ErrorCode]; message: string; param: string; type: string };
}

/** `type` says more than `code`, as `details.code` does elsewhere. */
export const inferenceBody = ({ code, message, field, slug }: Refusal): InferenceErrorBody => ({
  error: { code: INFERENCE_CODES[code], message, param: field, type: slug },
});
