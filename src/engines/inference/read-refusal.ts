/** What an upstream's error is about. Of its text nothing is passed on: it may hold prompts, keys and addresses of its own. */
import { z } from 'zod';
import { UpstreamFailed } from './upstream-failed.ts';

const ERROR = z.object({
  message: z.string().nullish(),
  code: z.union([z.string(), z.number()]).nullish(),
  type: z.string().nullish(),
  param: z.string().nullish(),
});
const ANSWER = z.union([
  z.object({ error: ERROR }),
  z.object({ error: z.string() }),
  z.object({ object: z.literal('error') }),
]);

/** Of servers that name no code: vLLM, llama.cpp, Ollama, and vendors, say it so or so. */
const TOO_LONG =
  /context[ _](length|window|size)|maximum context|exceed_context_size|too many tokens|prompt is too long/i;
const TOO_LONG_CODES = ['context_length_exceeded', 'exceed_context_size_error'];

/** Fields of a request that an upstream may name, and nothing else that it writes there. */
const FIELDS =
  /^(messages|temperature|top_p|max_tokens|max_completion_tokens|stop|seed|response_format|tools|tool_choice|input)(\[\d{1,4}\]|\.[a-z_]{1,40}){0,8}$/;
const LONGEST_RETRY_AFTER_S = 3_600;

/** Of an answer with a status that is none of success. */
export function failureOfStatus(
  status: number,
  body: string,
  retryAfter: string | undefined,
  now: number,
): UpstreamFailed {
  const reason = `HTTP ${status}`;
  if (status >= 300 && status < 400) return new UpstreamFailed('redirected', { reason });
  if (status === 429) return new UpstreamFailed('limited', { reason, retryAfterMs: retryAfterMs(retryAfter, now) });
  if (status === 408 || status === 425) return new UpstreamFailed('failing', { reason });
  if ([401, 402, 403, 404, 405, 407].includes(status)) return new UpstreamFailed('misconfigured', { reason });
  if (status >= 400 && status < 500) return refusal(errorIn(body), reason);
  return new UpstreamFailed('failing', { reason, retryAfterMs: retryAfterMs(retryAfter, now) });
}

/** Of an event of a stream, or a document with status 200; null where it is no error. */
export function failureOfError(event: unknown): UpstreamFailed | null {
  if (!ANSWER.safeParse(event).success) return null;
  const error = detailsOf(event);
  const status = Number(error.code);
  if (status === 429 || error.code === 'rate_limit_exceeded') return new UpstreamFailed('limited');
  if (isTooLong(error) || (status >= 400 && status < 500) || error.type === 'invalid_request_error')
    return refusal(error, 'in its answer');
  return new UpstreamFailed('failing', { reason: 'in its answer' });
}

type Details = z.output<typeof ERROR>;

function refusal(error: Details, reason: string): UpstreamFailed {
  if (isTooLong(error)) return new UpstreamFailed('too_long', { reason, field: 'messages' });
  const field = FIELDS.test(error.param ?? '')
    ? error.param!.replace(/^max_completion_tokens/, 'max_tokens')
    : undefined;
  return new UpstreamFailed('refused', { reason, ...(field !== undefined && { field }) });
}

const isTooLong = ({ code, type, message }: Details): boolean =>
  TOO_LONG_CODES.includes(String(code)) || TOO_LONG_CODES.includes(type ?? '') || TOO_LONG.test(message ?? '');

function errorIn(body: string): Details {
  try {
    return detailsOf(JSON.parse(body));
  } catch {
    return { message: body };
  }
}

function detailsOf(answer: unknown): Details {
  const { error } = (answer ?? {}) as { error?: unknown };
  if (typeof error === 'string') return { message: error };
  const said = ERROR.safeParse(error ?? answer);
  return said.success ? said.data : {};
}

/** Seconds or a date (RFC 9110, 10.2.3); 0 where there is none. */
function retryAfterMs(text: string | undefined, now: number): number {
  if (text === undefined) return 0;
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
  return Number.isFinite(ms) ? Math.min(Math.max(0, ms), LONGEST_RETRY_AFTER_S * 1000) : 0;
}
