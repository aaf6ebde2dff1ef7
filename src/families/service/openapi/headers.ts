/** Headers of answers. `required` ones are on every answer that lists them. */

const text = { type: 'string' };
const number = { type: 'integer', minimum: 0 };

const HEADERS = {
  'X-Request-Id': { description: "The request's id, as the log has it", required: true, schema: text },
  'X-RateLimit-Limit': { description: 'Requests allowed per minute', required: true, schema: number },
  'X-RateLimit-Remaining': { description: 'How many are left of them', required: true, schema: number },
  'X-RateLimit-Reset': { description: 'When the minute ends, Unix seconds', required: true, schema: number },
  'Retry-After': { description: 'Seconds to wait', schema: number },
  'WWW-Authenticate': { description: 'How to authenticate (RFC 6750)', required: true, schema: text },
  'Accept-Signature': { description: 'The signature that is asked for (RFC 9421 §5.1)', schema: text },
  ETag: { description: 'The version of what is answered: send it in If-Match to change no other', schema: text },
  'Idempotency-Replayed': {
    description: 'true where this is the kept answer of an earlier, identical request',
    schema: { type: 'string', enum: ['true'] },
  },
} as const;

type HeaderName = keyof typeof HEADERS;

const EVERYWHERE = ['X-Request-Id', 'X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'] as const;

/** As OpenAPI names them under `components`. */
export const headerComponents: Record<string, unknown> = HEADERS;

/** Those on every answer, and these. */
export function answerHeaders(...more: HeaderName[]): Record<string, unknown> {
  return Object.fromEntries([...EVERYWHERE, ...more].map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
