/** Request bodies: bytes are checked for UTF-8, nesting, NUL and equal names before they are parsed, and kept for digests. */
import { isUtf8 } from 'node:buffer';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyRequest } from 'fastify';
import { fastifyPlugin as fp } from 'fastify-plugin';
import { DomainError } from '../../core/errors.ts';
import { type JsonMistake, jsonMistake } from '../../core/json-mistake.ts';
import { type JsonTextOptions, jsonProblemInSlices, NUL_IN_STRING } from '../../core/json-text.ts';
import { HttpRefusal } from '../refusals/errors.ts';
import type { HttpSlug } from '../refusals/refusal.ts';
import { fieldPath } from './validation.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The body's bytes as they came; null without a body. */
    rawBody: Buffer | null;
  }
}

/** The refusal of a body that was read elsewhere. */
export const malformedBody = ({ slug, reason }: { readonly slug: string; readonly reason: string }): HttpRefusal =>
  new HttpRefusal(400, slug as HttpSlug, reason, { field: 'body' });

const refuse = (reason: string): HttpRefusal => malformedBody({ slug: 'malformed_json', reason });

/** The text of a body. Throws where it is not UTF-8. */
export function textOf(bytes: Buffer): string {
  if (!isUtf8(bytes)) {
    throw new HttpRefusal(400, 'malformed_request', 'the body is not valid UTF-8', { field: 'body' });
  }
  return bytes.toString('utf8');
}

/** Bytes that are looked at and parsed within some milliseconds, whatever they say. */
const AT_ONCE = 32 * 1024;

/** What a body says that is JSON, with a stop wherever some milliseconds have gone by. Throws what is wrong with it. */
function* reading(bytes: Buffer, options: JsonTextOptions): Generator<void, unknown> {
  const text = textOf(bytes);
  const problem = yield* jsonProblemInSlices(text, options);
  if (problem !== null && problem !== NUL_IN_STRING) throw refuse(`the body ${problem}`);
  yield;
  const body = yield* parsed(text);
  if (problem === NUL_IN_STRING) throw nulRefusal(body);
  return body;
}

/** What such a text says. A byte order mark is passed over (RFC 8259 §8.1). */
function* parsed(text: string): Generator<void, unknown> {
  try {
    return JSON.parse(text.startsWith('\ufeff') ? text.slice(1) : text);
  } catch {
    throw refuse(`the body is not valid JSON${placed(yield* jsonMistake(text))}`);
  }
}

const placed = (mistake: JsonMistake | null): string => (mistake === null ? '' : `: ${mistake.place}: ${mistake.what}`);

/** What is wrong with a short text that is no JSON, as the end of a sentence. */
export const mistakeIn = (text: string): string => placed(atOnce(jsonMistake(text)));

/** No database takes it, and nobody means it. */
function nulRefusal(body: unknown): DomainError {
  const field = fieldPath('body', pathOfNul(body) ?? []);
  const reason = 'has a NUL character (\\u0000), which is taken nowhere: leave it out';
  return new DomainError('invalid_value', `${field} ${reason}`, { field, reason, errors: [{ field, reason }] });
}

/** Not deeper than JSON texts that are taken. */
function pathOfNul(value: unknown): PropertyKey[] | null {
  if (typeof value === 'string') return value.includes('\0') ? [] : null;
  if (typeof value !== 'object' || value === null) return null;
  for (const [key, member] of Object.entries(value)) {
    const path = pathOfNul(member);
    if (path !== null) return [Array.isArray(value) ? Number(key) : key, ...path];
  }
  return null;
}

/** What a body says that is JSON: all of it at once. Throws what is wrong with it. */
export const jsonOf = (bytes: Buffer, options: JsonTextOptions): unknown => atOnce(reading(bytes, options));

function atOnce<T>(steps: Generator<void, T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** The same, and others get their turn at each stop, before and after it. */
async function jsonInTurns(bytes: Buffer, options: JsonTextOptions): Promise<unknown> {
  for (const steps = reading(bytes, options); ; ) {
    await nextTurn();
    const { done, value } = steps.next();
    if (done !== true) continue;
    await nextTurn();
    return value;
  }
}

export const bodies = fp(
  async (app) => {
    app.decorateRequest('rawBody', null);
    app.removeAllContentTypeParsers();
    app.addContentTypeParser(
      'application/json',
      { parseAs: 'buffer' },
      (request: FastifyRequest, bytes: Buffer, done: (error: Error | null, body?: unknown) => void) => {
        refuseEncodedBody(request);
        // Many clients name the type on every POST; with nothing in it there is no body.
        if (bytes.length === 0) return done(null, undefined);
        request.rawBody = bytes;
        // Not even looked at here: that may take as long as what is to be done.
        if (request.declaration?.inWorker?.(bytes.length, undefined)) return done(null, undefined);
        const options = { nul: request.declaration?.takesNul === true };
        if (bytes.length <= AT_ONCE) return done(null, jsonOf(bytes, options));
        jsonInTurns(bytes, options).then((body) => done(null, body), done);
      },
    );
  },
  { name: 'bodies' },
);

/** Bodies are taken as they are: a compressed one would pass the size limit unread. */
export function refuseEncodedBody(request: FastifyRequest): void {
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') {
    throw new HttpRefusal(415, 'unsupported_media_type', 'compressed bodies are not taken: send it without encoding', {
      field: 'headers.content-encoding',
    });
  }
}
