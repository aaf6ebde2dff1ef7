/** Idempotency-Key on operations that take one: the claim before the service runs, the replay instead of it. */
import { createHmac, createSecretKey } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { DomainError } from '../core/errors.ts';

const VISIBLE_ASCII = /^[\x21-\x7e]{1,255}$/;

/** The request's key, or null where it sent none. Throws `invalid_value`. */
export function idempotencyKeyOf(request: FastifyRequest): string | null {
  const header = request.headers['idempotency-key'];
  if (header === undefined) return null;
  if (typeof header !== 'string' || !VISIBLE_ASCII.test(header)) {
    throw new DomainError('invalid_value', 'an Idempotency-Key has 1 to 255 visible ASCII characters', {
      field: 'headers.idempotency-key',
    });
  }
  return header;
}

/**
 * What tells one request from another: keyed, because a body may hold a secret that a bare digest would let be guessed. Hex.
 * HMAC-SHA-256. Parts are told apart by their lengths.
 */
export function createFingerprints(bytes: Uint8Array) {
  // As a key object it is taken in once: with bytes each digest takes five times as long.
  const key = createSecretKey(bytes);
  function digest({ method, url, rawBody }: FastifyRequest, besides: string): string {
    const hmac = createHmac('sha256', key).update(`${method} ${url.length} ${url} ${besides}\n`);
    if (rawBody !== null) hmac.update(rawBody);
    return hmac.digest('hex');
  }
  return {
    /** Over method, path with query, and body: those of a request that is sent again. Over who asks, too, where the answer is theirs alone. */
    of: (request: FastifyRequest) => digest(request, askerAlone(request)),
    /** Over the Idempotency-Key, too: a nonce is for one request under one key. */
    ofSigned: (request: FastifyRequest) => digest(request, String(request.headers['idempotency-key'] ?? '')),
  };
}

export type Fingerprints = ReturnType<typeof createFingerprints>;

/**
 * Whom alone a kept answer is for; '' where any credential of the account may have it that may ask for it. Services decide what one
 * credential may be given, and a replay asks no service; and of what is the asker's own, another's answer is about somebody else.
 */
function askerAlone({ caller, declaration }: FastifyRequest): string {
  if (caller === null || declaration === null || declaration.access === 'public') return '';
  const alone = declaration.secretAnswer === true || declaration.access.own !== undefined;
  return alone ? `${caller.credential.kind} ${caller.credential.id}` : '';
}
