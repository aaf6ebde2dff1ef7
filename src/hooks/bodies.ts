/** Request bodies: bytes are checked for UTF-8, nesting, NUL and equal names before they are parsed, and kept for digests. */
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

/**
 * Why a text that may be JSON is not worth parsing, or null. Also what JSON.parse would quietly change is refused: of two equal names
 * it keeps the last, and half a surrogate pair can't be stored. Iterative: a deep body must not exhaust the stack.
 */
export function jsonProblem(text: string): string | null {
  /** The names in each open object; null for an array. */
  const open: (Set<string> | null)[] = [];
  let nameIsNext = false;
  for (let i = 0; i < text.length; i++) {
    switch (text.charCodeAt(i)) {
      case 0x22: {
        const end = endOfString(text, i + 1);
        const inner = text.slice(i + 1, end);
        const value = inner.includes('\\') ? unescaped(inner) : inner;
        if (value?.includes('\0')) return 'the body has a NUL character (\\u0000) in a string';
        if (value?.isWellFormed() === false)
          return 'the body has half a surrogate pair (\\ud800 to \\udfff) in a string';
        const names = open.at(-1);
        if (nameIsNext && names && value !== null) {
          if (names.has(value)) return `the body has the field ${value.slice(0, 100)} twice in one object`;
          names.add(value);
        }
        nameIsNext = false;
        i = end;
        break;
      }
      case 0x7b:
      case 0x5b: {
        const isObject = text[i] === '{';
        if (open.push(isObject ? new Set() : null) > MAX_DEPTH)
          return `the body is nested deeper than ${MAX_DEPTH} levels`;
        nameIsNext = isObject;
        break;
      }
      case 0x7d:
      case 0x5d:
        open.pop();
        nameIsNext = false;
        break;
      case 0x2c:
        nameIsNext = open.at(-1) instanceof Set;
    }
  }
  return null;
}

/** Where the closing quote stands; the text's length where there is none. */
function endOfString(text: string, from: number): number {
  for (let i = from; i < text.length; i++) {
    const character = text.charCodeAt(i);
    if (character === 0x22) return i;
    if (character === 0x5c) i++;
  }
  return text.length;
}

/** What a JSON string with escapes says; null where it is none, which the parser tells. */
function unescaped(inner: string): string | null {
  try {
    return JSON.parse(`"${inner}"`) as string;
  } catch {
    return null;
  }
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
        // Many clients name the type on every POST; with nothing in it there is no body.
        if (bytes.length === 0) return done(null, undefined);
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
