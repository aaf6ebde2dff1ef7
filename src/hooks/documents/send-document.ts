/** Answers a public document: compressed as the client takes it, 304 where it has it. */
import { constants } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import { CODINGS, type Coding, compressed, type PublicDocument } from './public-document.ts';

/** It may be kept, and is asked for again each time. */
const REVALIDATED = 'no-cache';

export async function sendDocument(
  document: PublicDocument,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const coding = codingFor(request);
  const { bytes, etag } = await document.in(coding);
  // It was given up meanwhile.
  if (reply.sent) return reply;
  reply.headers({ 'cache-control': REVALIDATED, ...document.headers, etag, vary: varied(reply) });
  if (isKnown(etag, request.headers['if-none-match'])) return reply.status(304).send();
  if (coding !== 'identity') reply.header('content-encoding', coding);
  return reply.type(document.type).send(bytes);
}

const varied = (reply: FastifyReply): string => [reply.getHeader('vary') ?? [], 'Accept-Encoding'].flat().join(', ');

/** Less is not worth it. */
const LEAST_BYTES = 1_024;
/** Its answers are made anew each time: a fifth of the usual effort gives most of it. */
const FAST = { br: { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }, gzip: { level: 1 } };

/** Answers a text: compressed as the client takes it, by zlib's threads. */
export async function sendCompressed(
  text: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  reply.header('vary', varied(reply));
  const coding = text.length < LEAST_BYTES ? 'identity' : codingFor(request);
  if (coding === 'identity') return reply.send(text);
  const bytes = await compressed[coding](text, FAST[coding]);
  // It was given up meanwhile.
  return reply.sent ? reply : reply.header('content-encoding', coding).send(bytes);
}

/** What its types leave out: which of two that the client takes alike. */
interface Preferring {
  encoding(available: readonly Coding[], options: { preferred: readonly Coding[] }): Coding | undefined;
}

/** The best that it takes; as it is where it takes nothing (RFC 9110 §12.5.3). */
const codingFor = ({ headers }: FastifyRequest): Coding =>
  (new Negotiator({ headers }) as Preferring).encoding(CODINGS, { preferred: CODINGS }) ?? 'identity';

/** RFC 9110 §13.1.2: compared weakly. */
const isKnown = (etag: string, ifNoneMatch = ''): boolean =>
  ifNoneMatch.split(',').some((known) => ['*', etag, `W/${etag}`].includes(known.trim()));
