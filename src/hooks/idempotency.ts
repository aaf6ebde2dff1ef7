/** Idempotency-Key on operations that take one: the claim before the service runs, the replay instead of it. */
import { createHash } from 'node:crypto';
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

/** SHA-256 over method, path with query, and body, hex. Parts are told apart by their lengths. */
export function fingerprintOf(request: FastifyRequest): string {
  const hash = createHash('sha256').update(`${request.method} ${request.url.length} ${request.url}\n`);
  if (request.rawBody !== null) hash.update(request.rawBody);
  return hash.digest('hex');
}
