/** Each bad request has a clear refusal in family A's body that names the field, and never a 5xx. */
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { refusalOf } from '../../src/hooks/refusals/errors.ts';
import { type HookApp, startHookApp } from './hook-app.ts';

let it_: HookApp;

beforeAll(async () => {
  it_ = await startHookApp();
});
afterAll(() => it_.close());

interface Case {
  title: string;
  method?: string;
  url?: string;
  type?: string | null;
  headers?: Record<string, string>;
  body?: string | Buffer;
  status: number;
  code?: string;
  field: string;
  slug: string;
  message?: RegExp;
}

const deep = (levels: number) => `{"text":${'['.repeat(levels)}${']'.repeat(levels)}}`;

const CASES: Case[] = [
  { title: 'JSON that ends too early', body: '{"text":', status: 400, field: 'body', slug: 'malformed_json' },
  {
    title: 'an empty body under a JSON content type, where one is needed',
    body: '',
    status: 400,
    field: 'body',
    slug: 'invalid_value',
    message: /is missing: send a JSON object/,
  },
  { title: 'a body of blanks', body: '  ', status: 400, field: 'body', slug: 'malformed_json' },
  {
    title: 'a field given twice',
    body: '{"text":"a","text":"b"}',
    status: 400,
    field: 'body',
    slug: 'malformed_json',
    message: /the field text twice/,
  },
  {
    title: 'a field given twice, once escaped, within a list',
    body: '{"text":"a","tags":[{"name":"ab"},{"name":"ab","n\\u0061me":"cd"}]}',
    status: 400,
    field: 'body',
    slug: 'malformed_json',
    message: /the field name twice/,
  },
  {
    title: 'the first half of a surrogate pair',
    body: '{"text":"\\ud83d"}',
    status: 400,
    field: 'body',
    slug: 'malformed_json',
    message: /surrogate/,
  },
  {
    title: 'the second half of a surrogate pair, as a name',
    body: '{"\\udE00":1,"text":"a"}',
    status: 400,
    field: 'body',
    slug: 'malformed_json',
    message: /surrogate/,
  },
  { title: 'an unknown escape', body: '{"text":"\\q"}', status: 400, field: 'body', slug: 'malformed_json' },
  { title: 'a string without an end', body: '{"text":"\\', status: 400, field: 'body', slug: 'malformed_json' },
  {
    title: 'more brackets closed than opened',
    body: '}]{"text":"a"}',
    status: 400,
    field: 'body',
    slug: 'malformed_json',
  },
  { title: 'two JSON texts', body: '{"text":"a"}{"text":"b"}', status: 400, field: 'body', slug: 'malformed_json' },
  { title: 'UTF-16', body: Buffer.from('{"text":"a"}', 'utf16le'), status: 400, field: 'body', slug: 'malformed_json' },
  {
    title: 'an array of 40,000 values',
    body: `{"text":[${'1,'.repeat(39_999)}1]}`,
    status: 400,
    field: 'text',
    slug: 'invalid_value',
  },
  {
    title: 'an array of 100,000 values',
    body: `{"text":[${'1,'.repeat(99_999)}1]}`,
    status: 400,
    field: 'body',
    slug: 'malformed_json',
    message: /more than 50000 values/,
  },
  { title: 'JSON with a trailing comma', body: '{"text":"a",}', status: 400, field: 'body', slug: 'malformed_json' },
  { title: 'NaN', body: '{"text":NaN}', status: 400, field: 'body', slug: 'malformed_json' },
  { title: 'no body', type: null, status: 400, field: 'body', slug: 'invalid_value', message: /JSON object/ },
  { title: 'a body that is an array', body: '[]', status: 400, field: 'body', slug: 'invalid_value' },
  { title: 'a body that is null', body: 'null', status: 400, field: 'body', slug: 'invalid_value' },
  {
    title: 'nesting of 33 levels',
    body: deep(32),
    status: 400,
    field: 'body',
    slug: 'malformed_json',
    message: /deeper/,
  },
  { title: 'nesting of 100,000 levels', body: deep(100_000), status: 400, field: 'body', slug: 'malformed_json' },
  {
    title: 'malformed UTF-8',
    body: Buffer.concat([Buffer.from('{"text":"'), Buffer.of(0xc3, 0x28), Buffer.from('"}')]),
    status: 400,
    field: 'body',
    slug: 'malformed_request',
    message: /UTF-8/,
  },
  {
    title: 'a NUL character',
    body: '{"text":"a","tags":[{"name":"ab"},{"name":"a\\u0000b"}]}',
    status: 400,
    field: 'tags[1].name',
    slug: 'invalid_value',
    message: /^tags\[1\]\.name has a NUL character/,
  },
  {
    title: 'a NUL character in a name',
    body: '{"te\\u0000xt":"a"}',
    status: 400,
    field: 'body',
    slug: 'malformed_json',
  },
  {
    title: 'a NUL character in JSON that ends too early',
    body: '{"text":"a\\u0000b"',
    status: 400,
    field: 'body',
    slug: 'malformed_json',
    message: /line 1, column 19: it ends here/,
  },
  {
    title: '__proto__ as a key',
    body: '{"__proto__":{"a":1},"text":"a"}',
    status: 400,
    field: 'body',
    slug: 'malformed_json',
  },
  {
    title: 'constructor.prototype as keys',
    body: '{"constructor":{"prototype":{}},"text":"a"}',
    status: 400,
    field: 'body',
    slug: 'malformed_json',
  },
  {
    title: 'an unknown field',
    body: '{"text":"a","colour":1}',
    status: 400,
    field: 'colour',
    slug: 'invalid_value',
    message: /is not a known field$/,
  },
  {
    title: 'a field whose name is nearly right',
    body: '{"text":"a","tgas":[]}',
    status: 400,
    field: 'tgas',
    slug: 'invalid_value',
    message: /^tgas is not a known field: did you mean tags\?$/,
  },
  {
    title: 'a nearly right name within a list',
    body: '{"text":"a","tags":[{"name":"ab","Name":"x"}]}',
    status: 400,
    field: 'tags[0].Name',
    slug: 'invalid_value',
    message: /did you mean name\?$/,
  },
  {
    title: 'JSON that is wrong in its second line',
    body: '{"text":"a",\n  "tags" []}',
    status: 400,
    field: 'body',
    slug: 'malformed_json',
    message: /^the body is not valid JSON: line 2, column 10: \[ where a colon/,
  },
  {
    title: 'a path that is nearly right',
    method: 'GET',
    url: '/api/v1/note/1',
    status: 404,
    code: 'not_found',
    field: '',
    slug: 'not_found',
    message: /did you mean \/api\/v1\/notes\/1\?$/,
  },
  {
    title: 'a path without its beginning',
    method: 'GET',
    url: '/v1/notes',
    status: 404,
    code: 'not_found',
    field: '',
    slug: 'not_found',
    message: /did you mean \/api\/v1\/notes\?$/,
  },
  {
    title: 'a slash behind a list',
    method: 'GET',
    url: '/api/v1/notes/?limit=1',
    status: 404,
    code: 'not_found',
    field: '',
    slug: 'not_found',
    message: /did you mean \/api\/v1\/notes\?$/,
  },
  {
    title: 'an unknown field within a list',
    body: '{"text":"a","tags":[{"name":"ab","x":1}]}',
    status: 400,
    field: 'tags[0].x',
    slug: 'invalid_value',
  },
  {
    title: 'a field of another type',
    body: '{"text":1}',
    status: 400,
    field: 'text',
    slug: 'invalid_value',
    message: /must be a string: put the number in quotation marks$/,
  },
  { title: 'a missing field', body: '{}', status: 400, field: 'text', slug: 'invalid_value', message: /is required/ },
  {
    title: 'a bad field within a list',
    body: '{"text":"a","tags":[{"name":"ab"},{"name":"a"}]}',
    status: 400,
    field: 'tags[1].name',
    slug: 'invalid_value',
  },
  {
    title: 'a form',
    type: 'application/x-www-form-urlencoded',
    body: 'text=a',
    status: 415,
    field: 'headers.content-type',
    slug: 'unsupported_media_type',
  },
  {
    title: 'plain text',
    type: 'text/plain',
    body: '{"text":"a"}',
    status: 415,
    field: 'headers.content-type',
    slug: 'unsupported_media_type',
  },
  {
    title: 'a body without content type',
    type: null,
    body: '{"text":"a"}',
    status: 415,
    field: 'headers.content-type',
    slug: 'unsupported_media_type',
  },
  {
    title: 'a content type that is none',
    type: 'json',
    body: '{"text":"a"}',
    status: 415,
    field: 'headers.content-type',
    slug: 'unsupported_media_type',
  },
  {
    title: 'a compressed body',
    headers: { 'content-encoding': 'gzip' },
    body: '{"text":"a"}',
    status: 415,
    field: 'headers.content-encoding',
    slug: 'unsupported_media_type',
  },
  {
    title: 'a body above 1 MiB',
    body: `{"text":"${'a'.repeat(1024 * 1024)}"}`,
    status: 413,
    field: 'body',
    slug: 'body_too_large',
  },
  {
    title: 'limit=1000',
    method: 'GET',
    url: '/api/v1/notes?limit=1000',
    status: 400,
    field: 'query.limit',
    slug: 'invalid_value',
    message: /between 1 and 100/,
  },
  {
    title: 'limit=0',
    method: 'GET',
    url: '/api/v1/notes?limit=0',
    status: 400,
    field: 'query.limit',
    slug: 'invalid_value',
  },
  {
    title: 'offset=-1',
    method: 'GET',
    url: '/api/v1/notes?offset=-1',
    status: 400,
    field: 'query.offset',
    slug: 'invalid_value',
  },
  {
    title: 'limit=ten',
    method: 'GET',
    url: '/api/v1/notes?limit=ten',
    status: 400,
    field: 'query.limit',
    slug: 'invalid_value',
  },
  {
    title: 'limit twice',
    method: 'GET',
    url: '/api/v1/notes?limit=1&limit=2',
    status: 400,
    field: 'query.limit',
    slug: 'invalid_value',
    message: /more than once/,
  },
  {
    title: 'an escape in the query that is no UTF-8',
    method: 'GET',
    url: '/api/v1/notes?limit=%ff',
    status: 400,
    field: 'query',
    slug: 'malformed_request',
  },
  {
    title: 'half a surrogate pair in the query',
    method: 'GET',
    url: '/api/v1/notes?limit=%ED%A0%80',
    status: 400,
    field: 'query',
    slug: 'malformed_request',
  },
  {
    title: 'a bare % in the query',
    method: 'GET',
    url: '/api/v1/notes?limit=5%',
    status: 400,
    field: 'query',
    slug: 'malformed_request',
  },
  {
    title: 'a climb in the path',
    method: 'GET',
    url: '/api/v1/notes/..%2f..%2fetc',
    status: 400,
    field: 'note_id',
    slug: 'invalid_value',
  },
  {
    title: 'an id of 5,000 characters',
    method: 'GET',
    url: `/api/v1/notes/${'a'.repeat(5_000)}`,
    status: 400,
    field: 'path',
    slug: 'malformed_request',
  },
  {
    title: 'an unknown query parameter',
    method: 'GET',
    url: '/api/v1/notes?page=2',
    status: 400,
    field: 'query.page',
    slug: 'invalid_value',
  },
  {
    title: 'a query parameter written otherwise',
    method: 'GET',
    url: '/api/v1/notes?LI-MIT=2',
    status: 400,
    field: 'query.LI-MIT',
    slug: 'invalid_value',
    message: /is not a known field: did you mean limit\?$/,
  },
  {
    title: 'a query on an operation that has none',
    method: 'GET',
    url: '/api/v1/notes/1?a=1',
    status: 400,
    field: 'query.a',
    slug: 'invalid_value',
  },
  {
    title: 'a NUL in the query',
    method: 'GET',
    url: '/api/v1/notes?limit=%00',
    status: 400,
    field: 'path',
    slug: 'malformed_request',
  },
  {
    title: 'a malformed id',
    method: 'GET',
    url: '/api/v1/notes/abc',
    status: 400,
    field: 'note_id',
    slug: 'invalid_value',
  },
  {
    title: 'a malformed escape in the path',
    method: 'GET',
    url: '/api/v1/notes/%ff',
    status: 400,
    field: 'path',
    slug: 'malformed_request',
  },
  {
    title: 'an id of 500 characters',
    method: 'GET',
    url: `/api/v1/notes/${'a'.repeat(500)}`,
    status: 400,
    field: 'note_id',
    slug: 'invalid_value',
  },
  {
    title: 'a body on an operation that takes none',
    method: 'DELETE',
    url: '/api/v1/notes/1',
    body: '{"a":1}',
    status: 400,
    field: 'a',
    slug: 'invalid_value',
  },
  {
    title: 'an unknown route',
    method: 'GET',
    url: '/api/v1/nothing',
    status: 404,
    code: 'not_found',
    field: '',
    slug: 'not_found',
  },
  {
    title: 'an unknown route with a body',
    url: '/api/v1/nothing',
    type: 'text/plain',
    body: 'x',
    status: 404,
    code: 'not_found',
    field: '',
    slug: 'not_found',
  },
  {
    title: 'a beta route',
    method: 'GET',
    url: '/api/v2/notes',
    status: 404,
    code: 'not_found',
    field: '',
    slug: 'not_found',
    message: /beta/,
  },
  {
    title: 'another version',
    method: 'GET',
    url: '/api/v1/notes',
    headers: { accept: 'application/json; version=2' },
    status: 406,
    field: 'headers.accept',
    slug: 'not_acceptable',
  },
  {
    title: 'an Idempotency-Key with a blank',
    headers: { 'idempotency-key': 'a b' },
    body: '{"text":"a"}',
    status: 400,
    field: 'headers.idempotency-key',
    slug: 'invalid_value',
  },
  {
    title: 'an Idempotency-Key of 256 characters',
    headers: { 'idempotency-key': 'a'.repeat(256) },
    body: '{"text":"a"}',
    status: 400,
    field: 'headers.idempotency-key',
    slug: 'invalid_value',
  },
];

describe('bad input', () => {
  it.each(CASES)('$title: $status', async (wrong) => {
    const { method = 'POST', url = '/api/v1/notes', type = 'application/json', headers = {}, body } = wrong;
    const response = await it_.inject({
      method: method as 'POST',
      url,
      headers: {
        authorization: `Bearer ${it_.apiKey}`,
        ...(type === null || method === 'GET' ? {} : { 'content-type': type }),
        ...headers,
      },
      ...(body === undefined ? {} : { payload: body }),
    });
    expect(response.statusCode, response.body).toBe(wrong.status);
    const { error } = response.json();
    expect(error.code).toBe(wrong.code ?? 'invalid_request');
    expect(error.details.field).toBe(wrong.field);
    expect(error.details.code).toBe(wrong.slug);
    if (wrong.message) expect(error.message).toMatch(wrong.message);
    expect(['', error.message]).not.toContain(error.details.reason);
    expect(response.headers['x-request-id']).toMatch(/^req_/);
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
  });

  it('takes 32 levels of nesting, names equal to values, whole pairs, escaped escapes, a byte order mark, and a string of braces', async () => {
    const nested = await post(deep(31));
    expect(nested.json().error.details.field).toBe('text');
    const equalNames = await post('{"text":"text","tags":[{"name":"name"},{"name":"text"}]}');
    expect(equalNames.statusCode).toBe(201);
    const pair = await post('{"text":"\\ud83d\\ude00 \\\\u0000 \\\\ud83d"}');
    expect(pair.json().text).toBe('😀 \\u0000 \\ud83d');
    const marked = await post('\ufeff{"text":"after a byte order mark"}');
    expect(marked.statusCode).toBe(201);
    const braces = await post(JSON.stringify({ text: `${'{['.repeat(45)}\\"` }));
    expect(braces.statusCode).toBe(201);
  });

  it('answers 405 with Allow for a wrong method', async () => {
    const response = await it_.inject({ method: 'PUT', url: '/api/v1/notes' });
    expect(response.statusCode).toBe(405);
    expect(response.headers.allow).toBe('GET, HEAD, POST');
    const withId = await it_.inject({ method: 'POST', url: '/api/v1/notes/7' });
    expect(withId.statusCode).toBe(405);
    expect(withId.headers.allow).toBe('DELETE, GET, HEAD');
    expect(withId.json().error.details.code).toBe('method_not_allowed');
  });

  it('lists all that is wrong with a body, and as much of a body that is wrong everywhere', async () => {
    const { details } = (await post('{"tags":[{"name":"a"},7],"colour":1,"size":2}')).json().error;
    expect(details.errors.map(({ field }: { field: string }) => field)).toEqual([
      'text',
      'tags[0].name',
      'tags[1]',
      'colour',
      'size',
    ]);
    expect(details).toMatchObject(details.errors[0]);
    const many = await post(`{"text":"a","tags":[${'7,'.repeat(49)}7]}`);
    expect(many.json().error.details.errors.length).toBeLessThanOrEqual(20);
  });

  it('takes a caller that hangs up within its body as the cause of it, not as a fault', () => {
    const hungUp = Object.assign(new Error('aborted'), { code: 'ECONNRESET' });
    expect(refusalOf(hungUp)).toMatchObject({ refusal: { status: 400, field: 'body' }, fault: null });
    const databaseGone = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
    expect(refusalOf(databaseGone)).toMatchObject({ refusal: { status: 500 }, fault: { code: 'ECONNRESET' } });
  });

  it('answers bytes that are no HTTP in the same form', async () => {
    await it_.app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = it_.app.server.address() as { port: number };
    const answer = await new Promise<string>((resolve) => {
      let text = '';
      const socket = connect(port, '127.0.0.1', () => socket.write('HELLO\r\n\r\n'));
      socket.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      socket.on('close', () => resolve(text));
    });
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request/);
    expect(answer).toMatch(/X-Request-Id: req_/);
    expect(JSON.parse(answer.split('\r\n\r\n')[1] as string).error.code).toBe('invalid_request');
  });
});

const post = (body: string) =>
  it_.inject({
    method: 'POST',
    url: '/api/v1/notes',
    headers: { authorization: `Bearer ${it_.apiKey}`, 'content-type': 'application/json' },
    payload: body,
  });
