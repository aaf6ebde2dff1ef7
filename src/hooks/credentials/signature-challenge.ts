/** What a refusal for want of a signature says beside its body: which signature would be taken (RFC 9421 §5.1). */
import type { FastifyRequest } from 'fastify';
import { acceptSignature, type SignedParts } from '../../core/request-signatures/signature-rule.ts';

const SIGNATURE_SLUGS: readonly string[] = ['signature_missing', 'signature_invalid', 'nonce_reused'];

/** What there is to sign in a request. */
export const arrivedParts = ({ headers, rawBody }: FastifyRequest): SignedParts => ({
  body: rawBody !== null,
  idempotencyKey: headers['idempotency-key'] !== undefined,
});

/** The same by what is announced, before the body has come. */
export const announcedParts = ({ headers }: FastifyRequest): SignedParts => ({
  body: headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0,
  idempotencyKey: headers['idempotency-key'] !== undefined,
});

/** Headers of a refusal with this slug. */
export function challengeHeaders(request: FastifyRequest, slug: string): Record<string, string> {
  if (!SIGNATURE_SLUGS.includes(slug)) return {};
  return {
    'www-authenticate': 'Bearer realm="ashlar"',
    'accept-signature': acceptSignature(announcedParts(request)),
  };
}
