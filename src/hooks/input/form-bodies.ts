/** Bodies of HTML forms (application/x-www-form-urlencoded) as OAuth 2.0 takes them: RFC 6749 §3.2 and appendix B. */
import type { FastifyInstance } from 'fastify';
import { HttpRefusal } from '../refusals/errors.ts';
import { refuseEncodedBody, textOf } from './bodies.ts';

export const FORM = 'application/x-www-form-urlencoded';

/** A parameter without a value counts as left out. Throws for one that is given twice, and for escapes that are not UTF-8. */
function parseForm(text: string): Record<string, string> {
  const found = new Map<string, string>();
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    const [name = '', ...rest] = pair.split('=');
    const key = decoded(name);
    if (found.has(key)) throw refusal('a parameter is given more than once', key);
    found.set(key, decoded(rest.join('=')));
  }
  return Object.fromEntries([...found].filter(([, value]) => value !== ''));
}

/** Takes forms and nothing else, in a scope of its own. */
export function acceptForm(scope: FastifyInstance): void {
  const refuse = () => {
    throw new HttpRefusal(415, 'unsupported_media_type', `this content type is not supported: send ${FORM}`, {
      field: 'headers.content-type',
    });
  };
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', refuse);
  scope.addContentTypeParser(FORM, { parseAs: 'buffer' }, (request, bytes: Buffer, done) => {
    refuseEncodedBody(request);
    request.rawBody = bytes;
    done(null, parseForm(textOf(bytes)));
  });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw refusal('the body has an escape that is not UTF-8 in percent-encoding', 'body');
  }
}

const refusal = (message: string, field: string): HttpRefusal =>
  new HttpRefusal(400, 'malformed_request', message, { field: /^[a-z_]{1,40}$/.test(field) ? field : 'body' });
