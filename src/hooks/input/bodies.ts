/** Request bodies: bytes are checked for UTF-8, nesting, NUL and equal names before they are parsed, and kept for digests. */
import { isUtf8 } from 'node:buffer';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyRequest } from 'fastify';
import { fastifyPlugin as fp } from 'fastify-plugin';
import { type JsonTextOptions, jsonProblem, jsonProblemInSlices } from '../../core/json-text.ts';
import { HttpRefusal } from '../refusals/errors.ts';
import type { HttpSlug } from '../refusals/refusal.ts';

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

/** The text of a body that is JSON as far as can be told before it is parsed. Throws as textOf, and what jsonProblem finds. */
function jsonTextOf(bytes: Buffer, options: JsonTextOptions): string {
  const text = textOf(bytes);
  const problem = jsonProblem(text, options);
  if (problem !== null) throw refuse(`the body ${problem}`);
  return text;
}

/** Bytes that are looked at and parsed within some milliseconds, whatever they say. */
const AT_ONCE = 32 * 1024;

/** As jsonOf, and others get their turn while it is looked at, before it is parsed and after that. */
async function jsonInSlices(bytes: Buffer, options: JsonTextOptions): Promise<unknown> {
  await nextTurn();
  const text = textOf(bytes);
  const looking = jsonProblemInSlices(text, options);
  for (;;) {
    await nextTurn();
    const { done, value } = looking.next();
    if (done !== true) continue;
    if (value !== null) throw refuse(`the body ${value}`);
    await nextTurn();
    const body = parsed(text);
    await nextTurn();
    return body;
  }
}

/** What such a text says. A byte order mark is passed over (RFC 8259 §8.1). */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text.startsWith('\ufeff') ? text.slice(1) : text);
  } catch (error) {
    throw refuse(`the body is not valid JSON${whereIn(text, error)}`);
  }
}

/** V8 names the position in most of its errors; where the text ends too early, that is behind its last character that says something. */
function whereIn(text: string, error: unknown): string {
  const [, position] = /at position (\d+)/.exec((error as Error).message) ?? [];
  if (position === undefined) return '';
  const before = text.trimEnd().slice(0, Number(position)).split('\n');
  return `: line ${before.length}, column ${(before.at(-1) as string).length + 1}`;
}

/** What a body says that is JSON: all of it at once. Throws what is wrong with it. */
export const jsonOf = (bytes: Buffer, options: JsonTextOptions): unknown => parsed(jsonTextOf(bytes, options));

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
        if (request.routeOptions.config.declaration?.inWorker?.(bytes.length, undefined)) return done(null, undefined);
        const options = { nul: request.routeOptions.config.declaration?.takesNul === true };
        if (bytes.length <= AT_ONCE) return done(null, jsonOf(bytes, options));
        jsonInSlices(bytes, options).then((body) => done(null, body), done);
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
