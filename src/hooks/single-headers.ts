/**
 * What must stand once in a request. Of a header that is there twice, whoever stands in front (a proxy, a cache, a log) may have read the
 * other one: Host by RFC 9112 §3.2, the rest because of what we decide by it. Lengths are the parser's own matter. And no expectation
 * but 100-continue (RFC 9110 §10.1.1).
 */
import { fastifyPlugin as fp } from 'fastify-plugin';
import { addGate } from './entrance.ts';
import { HttpRefusal } from './refusals/errors.ts';

const ONCE: ReadonlySet<string> = new Set([
  'host',
  'authorization',
  'content-type',
  'content-digest',
  'signature',
  'signature-input',
  'idempotency-key',
  'if-match',
]);

export const singleHeaders = fp(
  async (app) => {
    // Without a listener Node answers 417 itself, with an empty body.
    app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
    addGate(app, ({ raw }) => {
      const name = headerThatIsThereTwice(raw.rawHeaders);
      if (name !== null) throw refusal(`the header ${name} must be there once`, `headers.${name}`);
      if (raw.url?.startsWith('/') === false && raw.url !== '*')
        throw refusal('the target must be a path: only proxies are asked with a whole URL (RFC 9112 §3.2)', 'path');
      if (!/^(100-continue)?$/i.test(raw.headers.expect ?? ''))
        throw new HttpRefusal(417, 'unsupported', 'Expect takes 100-continue only', { field: 'headers.expect' });
    });
  },
  { name: 'single-headers' },
);

const refusal = (message: string, field: string): HttpRefusal =>
  new HttpRefusal(400, 'malformed_request', message, { field });

/** `raw`: names and values by turns, as they came. */
function headerThatIsThereTwice(raw: readonly string[]): string | null {
  const seen = new Set<string>();
  for (let at = 0; at < raw.length; at += 2) {
    const name = (raw[at] as string).toLowerCase();
    if (!ONCE.has(name)) continue;
    if (seen.has(name)) return name;
    seen.add(name);
  }
  return null;
}
