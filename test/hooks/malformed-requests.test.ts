/** Every answer of the service on a real port, however odd the request, has its id, helmet's headers, those of limits and of CORS. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { createLocalCounters } from '../../src/counters/local.ts';
import { startTestApp, type TestApp } from '../builders/app.ts';

let service: TestApp;
let port: number;
/** In a minute that does not end. */
const counters = createLocalCounters({ clock: () => 0 });
const failures = () => counters.lastSeen('address', '127.0.0.1', 60_000);
const PAGE = 'https://dashboard.example.com';

beforeAll(async () => {
  service = await startTestApp({ limits: counters, env: { CORS_ORIGINS: PAGE } });
  port = Number(new URL(await service.listen()).port);
});
afterAll(() => service.close());

interface Odd {
  status: number;
  headers: Headers;
  body: string;
}

/** Bytes as they are, on a connection of their own. */
async function send(bytes: string | Buffer): Promise<Odd> {
  const socket = connect({ host: '127.0.0.1', port });
  await once(socket, 'connect');
  socket.write(bytes);
  let text = '';
  socket.setEncoding('latin1');
  for await (const chunk of socket) {
    text += chunk;
    const head = text.indexOf('\r\n\r\n');
    if (head === -1) continue;
    const length = Number(/content-length: (\d+)/i.exec(text.slice(0, head))?.[1] ?? 0);
    const upgraded = text.startsWith('HTTP/1.1 101');
    if (upgraded || /^HEAD /.test(String(bytes)) || text.length >= head + 4 + length) break;
  }
  socket.destroy();
  const [head = '', body = ''] = text.split('\r\n\r\n');
  const [line = '', ...lines] = head.split('\r\n');
  const headers = new Headers(lines.map((one) => one.split(/: ?(.*)/s).slice(0, 2) as [string, string]));
  return { status: Number(line.split(' ')[1]), headers, body };
}

const request = (method: string, path: string, headers: Record<string, string> = {}, body = ''): string => {
  const all = {
    host: `127.0.0.1:${port}`,
    origin: PAGE,
    ...headers,
    ...(body === '' ? {} : { 'content-length': `${body.length}` }),
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
};

const UPGRADE = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
};

/** What no page can send: of bytes that are no request nobody knows the origin. */
const UNREAD = [
  ...['no HTTP at all', 'a method that is none', 'two lengths', 'a header that goes on in the next line'],
  'too many headers',
];
const OTHER_PAGE = 'a preflight of a page that may not';
/** Everybody may read it, and keep it. */
const REFERENCE = 'the reference page';

function everyAnswerHas({ status, headers, body }: Odd, what: string): void {
  const readable = !UNREAD.includes(what) && what !== OTHER_PAGE;
  expect(headers.get('access-control-allow-origin'), what).toBe(readable ? PAGE : null);
  if (readable && status !== 204) expect(headers.get('access-control-expose-headers'), what).toContain('Retry-After');
  expect(headers.get('x-request-id'), `${what} ${status} ${body}`).toMatch(/^req_/);
  for (const name of ['limit', 'remaining', 'reset'])
    expect(headers.get(`x-ratelimit-${name}`), `${what}: ${name}`).toMatch(/^\d+$/);
  expect(Number(headers.get('x-ratelimit-remaining')), what).toBeLessThanOrEqual(
    Number(headers.get('x-ratelimit-limit')),
  );
  expect(headers.get('x-content-type-options'), what).toBe('nosniff');
  expect(headers.get('x-frame-options'), what).toBe('DENY');
  expect(headers.get('content-security-policy'), what).toBeDefined();
  expect(headers.get('cache-control'), what).toBe(what === REFERENCE ? 'no-cache' : 'no-store');
  expect(headers.get('strict-transport-security'), what).toBeDefined();
}

describe('every answer', () => {
  it.each<[string, number, () => string]>([
    ['alive', 200, () => request('GET', '/livez')],
    ['alive, by HEAD', 200, () => request('HEAD', '/livez')],
    ['ready, by HEAD', 200, () => request('HEAD', '/readyz')],
    [REFERENCE, 200, () => request('GET', '/docs/')],
    ['no credential', 401, () => request('GET', '/api/v1/wallets')],
    ['no credential, by HEAD', 401, () => request('HEAD', '/api/v1/wallets')],
    ['a wrong key', 401, () => request('GET', '/api/v1/wallets', { authorization: 'Bearer ak_x' })],
    ['no such path', 404, () => request('GET', '/nothing')],
    ['the beta', 404, () => request('GET', '/api/v2/wallets')],
    ['no such method of it', 405, () => request('PUT', '/api/v1/wallets')],
    ['a method of no route', 404, () => request('MKCOL', '/nothing')],
    ['another version', 406, () => request('GET', '/livez', { accept: 'application/json; version=3' })],
    ['a broken escape', 400, () => request('GET', '/api/v1/wallets/%zz')],
    ['a NUL in the path', 400, () => request('GET', '/livez?a=%00')],
    ['too long a part', 400, () => request('GET', `/api/v1/wallets/${'x'.repeat(2_000)}`)],
    ['no HTTP at all', 400, () => 'hello\r\n\r\n'],
    ['a method that is none', 400, () => request('FETCH', '/livez')],
    ['two lengths', 400, () => request('POST', '/api/v1/wallets', { 'Content-Length': '3', 'content-length': '4' })],
    ['two hosts', 400, () => request('GET', '/livez', { Host: 'elsewhere.example' })],
    ['an expectation of its own', 417, () => request('GET', '/livez', { expect: 'a-reply-by-noon' })],
    ['a whole URL as target', 400, () => request('GET', `http://127.0.0.1:${port}/livez`)],
    ['a header that goes on in the next line', 400, () => request('GET', '/livez', { 'x-a': 'b\r\n c' })],
    ['too many headers', 431, () => request('GET', '/livez', { 'x-long': 'x'.repeat(100_000) })],
    ['no WebSocket, where there is one', 426, () => request('GET', '/v1/ws')],
    ['a WebSocket', 101, () => request('GET', '/v1/ws', UPGRADE)],
    ['a WebSocket where there is none', 404, () => request('GET', '/nothing', UPGRADE)],
    ['a WebSocket where a credential is needed', 401, () => request('GET', '/api/v1/wallets', UPGRADE)],
    [
      'a preflight of a page that may',
      204,
      () => request('OPTIONS', '/api/v1/wallets', { 'access-control-request-method': 'POST' }),
    ],
    [
      OTHER_PAGE,
      405,
      () =>
        request('OPTIONS', '/api/v1/wallets', { origin: 'https://x.example', 'access-control-request-method': 'POST' }),
    ],
  ])('has its headers: %s', async (what, status, bytes) => {
    const answer = await send(bytes());
    expect(answer.status, answer.body).toBe(status);
    everyAnswerHas(answer, what);
    if (status >= 400 && !bytes().startsWith('HEAD')) {
      expect(JSON.parse(answer.body).error.details.code, answer.body).toEqual(expect.any(String));
    }
    if (bytes().startsWith('HEAD')) expect(answer.body).toBe('');
  });

  it.each<[string, number, Record<string, string>, string]>([
    ['another media type', 415, { 'content-type': 'text/csv' }, 'a'],
    ['a compressed body', 415, { 'content-type': 'application/json', 'content-encoding': 'gzip' }, '{}'],
    ['too large a body', 413, { 'content-type': 'application/json' }, 'x'.repeat(1024 * 1024 + 1)],
    ['broken JSON', 400, { 'content-type': 'application/json' }, '{'],
    ['an unsigned write', 401, { 'content-type': 'application/json' }, '{}'],
  ])('has its headers, with a credential: %s', async (what, status, headers, body) => {
    const authorization = `Bearer ${service.adminKey}`;
    const answer = await send(request('POST', '/api/v1/wallets', { ...headers, authorization }, body));
    expect(answer.status, answer.body).toBe(status);
    everyAnswerHas(answer, what);
    expect(answer.headers.get('x-ratelimit-limit')).toBe('1000');
  });

  it.each([
    'Authorization',
    'Content-Type',
    'Content-Digest',
    'Signature',
    'Signature-Input',
    'Idempotency-Key',
    'Host',
  ])('is 400 naming the header where %s is there twice, the same or not', async (name) => {
    const once = request('GET', '/livez', name === 'Host' ? {} : { [name]: 'a' });
    const answer = await send(once.replace('\r\n\r\n', `\r\n${name.toLowerCase()}: a\r\n\r\n`));
    expect(answer.status, answer.body).toBe(400);
    expect(JSON.parse(answer.body).error).toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining('must be there once'),
      details: { field: `headers.${name.toLowerCase()}` },
    });
  });

  it('says nothing twice', async () => {
    const { headers } = await send(request('GET', '/v1/ws', UPGRADE));
    expect(headers.get('x-ratelimit-limit')).toBe('1000');
    expect(headers.get('x-request-id')).not.toContain(',');
  });
});

describe('public operations', () => {
  it.each([
    [
      '/oauth/token',
      'application/x-www-form-urlencoded',
      'grant_type=client_credentials&client_id=cli_x&client_secret=y',
    ],
    ['/api/v1/auth/login', 'application/json', '{"username":"nobody","password":"a wrong password"}'],
  ])('count what they refuse with 401 against the address: %s', async (path, type, body) => {
    const before = failures();
    const answer = await send(request('POST', path, { 'content-type': type }, body));
    expect(answer.status, answer.body).toBe(401);
    everyAnswerHas(answer, path);
    expect(failures()).toBe(before + 1);
    expect(answer.headers.get('x-ratelimit-remaining')).toBe(String(1_000 - before - 1));
  });
});

describe('HEAD', () => {
  it('is GET without the body: the same headers', async () => {
    const head = await send(request('HEAD', '/livez'));
    const get = await send(request('GET', '/livez'));
    expect(head.headers.get('content-length')).toBe(String(get.body.length));
    expect(head.headers.get('content-type')).toBe(get.headers.get('content-type'));
  });

  it('is for a credential what GET is', async () => {
    const head = await service.call('HEAD', '/api/v1/wallets');
    expect(head).toMatchObject({ status: 200, text: '' });
    expect((await service.call('HEAD', '/api/v1/wallets', undefined, { apiKey: null })).status).toBe(401);
  });
});

describe('cut connections', () => {
  it('are counted all the same', async () => {
    const before = failures();
    for (let i = 0; i < 20; i++) {
      const socket = connect({ host: '127.0.0.1', port });
      await once(socket, 'connect');
      const key = `ak_${String(i).padStart(8, '0')}_${'y'.repeat(43)}`;
      socket.write(request('GET', '/api/v1/wallets', { authorization: `Bearer ${key}` }), () => socket.destroy());
      await once(socket, 'close');
    }
    while (failures() < before + 20) await new Promise((resolve) => setTimeout(resolve, 5));
  });
});

describe('failed authentications of a socket', () => {
  it('count against its address, and end it where there are too many', async () => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/v1/ws`);
    await once(socket, 'open');
    const failing = () => socket.send(JSON.stringify({ type: 'auth', api_key: 'ak_nonsense' }));
    const before = failures();
    failing();
    const [said] = await once(socket, 'message');
    expect(JSON.parse(String(said)).error.code).toBe('unauthorized');
    expect(failures()).toBe(before + 1);
    while (failures() < 1_000) counters.hit('address', ['127.0.0.1'], 60_000);
    const closed = once(socket, 'close');
    failing();
    expect((await closed)[0]).toBe(4429);
    // The first is on record; the one too many is not.
    const filter = { operation: 'realtime.connect' };
    const { data } = await service.app.store.read.audit.list('service', filter, { limit: 10, offset: 0 });
    expect(data).toMatchObject([{ outcome: 'unauthorized' }]);
  });
});
