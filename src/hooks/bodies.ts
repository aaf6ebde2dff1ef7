/** Request bodies: bytes are checked for UTF-8, nesting and NUL before they are parsed, and kept for digests. */
import { isUtf8 } from 'node:buffer';
import type { FastifyRequest } from 'fastify';
import { fastifyPlugin as fp } from 'fastify-plugin';
import { HttpRefusal } from './errors.ts';

/** Objects and arrays within each other. The deepest request of ours has five. */
const MAX_DEPTH = 32;

declare module 'fastify' {
  interface FastifyRequest {
    /** The body's bytes as they came; null without a body. */
    rawBody: Buffer | null;
  }
}

const refuse = (message: string): HttpRefusal => new HttpRefusal(400, 'malformed_json', message, { field: 'body' });

/** Why a text that may be JSON is not worth parsing, or null. Iterative: a deep body must not exhaust the stack. */
export function jsonProblem(text: string): string | null {
  let depth = 0;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const character = text.charCodeAt(i);
    if (inString) {
      if (character === 0x5c) {
        if (text.startsWith('u0000', i + 1)) return 'the body has a NUL character (\\u0000) in a string';
        i++;
      } else if (character === 0x22) inString = false;
    } else if (character === 0x22) inString = true;
    else if (character === 0x7b || character === 0x5b) {
      if (++depth > MAX_DEPTH) return `the body is nested deeper than ${MAX_DEPTH} levels`;
    } else if (character === 0x7d || character === 0x5d) depth--;
  }
  return null;
}

/** The text of a body. Throws where it is not UTF-8. */
export function textOf(bytes: Buffer): string {
  if (!isUtf8(bytes)) {
    throw new HttpRefusal(400, 'malformed_request', 'the body is not valid UTF-8', { field: 'body' });
  }
  return bytes.toString('utf8');
}

export const bodies = fp(
  async (app) => {
    app.decorateRequest('rawBody', null);
    app.removeAllContentTypeParsers();
    const parseJson = app.getDefaultJsonParser('error', 'error');
    app.addContentTypeParser(
      'application/json',
      { parseAs: 'buffer' },
      (request: FastifyRequest, bytes: Buffer, done: (error: Error | null, body?: unknown) => void) => {
        refuseEncodedBody(request);
        const text = textOf(bytes);
        const problem = jsonProblem(text);
        if (problem !== null) throw refuse(problem);
        request.rawBody = bytes;
        parseJson(request, text, done);
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
