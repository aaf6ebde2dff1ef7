/** Family F through npm `openai`, unchanged. */
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DomainError } from '../../../src/core/errors.ts';
import type { ChatRequest } from '../../../src/core/inference/chat.ts';
import { startTestApp, type TestApp } from '../../builders/app.ts';
import { writtenBackend } from '../../builders/written-backend.ts';
import { noteSecret } from '../../secrets/collected.ts';

const ID = 'meta/llama-3:8b';
const QUESTION = [{ role: 'user', content: 'How do I bump a fee?' }] as const;

let app: TestApp;
let client: OpenAI;
let origin: string;
let asked: ChatRequest | null = null;

let aborted: Promise<void>;

const backend = writtenBackend({
  breaking: async function* () {
    yield { content: 'By ' };
    throw new Error('a fault');
  },
  endless: async function* (_, { signal }) {
    const { promise, resolve } = Promise.withResolvers<void>();
    aborted = promise;
    signal.addEventListener('abort', () => resolve());
    yield { content: 'By ' };
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  },
  [ID]: (request) => {
    asked = request;
    return [
      { content: 'By ' },
      { content: 'bumping ₿.' },
      { finish: 'length' },
      { usage: { promptTokens: 7, completionTokens: 3, estimated: false } },
    ];
  },
  silent: () => [],
  weighing: ({ messages }) => [{ content: messages.at(-1)?.content ?? '' }, { finish: 'stop' }],
  calling: () => [
    { toolCall: { index: 0, id: 'call_1', name: 'fees', arguments: '{"a' } },
    { toolCall: { index: 1, id: 'call_2', name: 'tip', arguments: '{}' } },
    { toolCall: { index: 0, arguments: '":1}' } },
    { finish: 'tool_calls' },
  ],
  broken: () => {
    throw new Error('a fault');
  },
  away: () => {
    throw new DomainError('unavailable', 'no upstream answers');
  },
});

const embedding = writtenBackend(
  { vectors: () => [] },
  {
    embed: async (_, inputs) => ({ vectors: inputs.map((text) => [1.5, text.length]), promptTokens: inputs.length }),
  },
);

beforeAll(async () => {
  app = await startTestApp({ backends: [backend, embedding] });
  origin = await app.listen();
  client = clientOf(app.adminKey);
});
afterAll(() => app.close());

const clientOf = (apiKey: string): OpenAI => new OpenAI({ apiKey, baseURL: `${origin}/v1/ai`, maxRetries: 0 });

it('lists models and finds one, whatever is in its id', async () => {
  const { data } = await client.models.list();
  expect(data.map(({ id }) => id)).toContain('silent');
  expect(await client.models.retrieve(ID)).toEqual(data.find(({ id }) => id === ID));
  expect((await app.get(`/v1/ai/models/${ID}`)).body).toMatchObject({
    ...{ id: ID, object: 'model', created: 1790000000, owned_by: 'test', root: ID, parent: null },
    permission: [
      { object: 'model_permission', organization: '*', group: null, allow_sampling: true, is_blocking: false },
    ],
  });
});

it('answers, by both paths', async () => {
  for (const path of ['generate', 'chat/completions']) {
    const { status, body, headers } = await app.post(`/v1/ai/${path}`, { model: ID, messages: QUESTION });
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body).toEqual({
      ...{
        id: expect.stringMatching(/^chatcmpl-\w{22}$/),
        object: 'chat.completion',
        created: expect.any(Number),
        model: ID,
      },
      choices: [
        {
          ...{ index: 0, logprobs: null, finish_reason: 'length' },
          message: { role: 'assistant', content: 'By bumping ₿.', refusal: null },
        },
      ],
      usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 },
    });
    expect(headers).toMatchObject({ 'x-ratelimit-limit': expect.any(String), 'x-ratelimit-reset': expect.any(String) });
  }
});

it('estimates tokens where the model says none', async () => {
  const { choices, usage } = await client.chat.completions.create({ model: 'silent', messages: [...QUESTION] });
  expect(choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: '' } });
  expect(usage).toEqual({ prompt_tokens: 9, completion_tokens: 0, total_tokens: 9, estimated: true });
});

it('gives the model what was asked, and takes null where OpenAI does', async () => {
  await client.chat.completions.create({
    model: ID,
    messages: [
      {
        role: 'developer',
        content: [
          { type: 'text', text: 'Be' },
          { type: 'text', text: 'brief' },
        ],
      },
      { role: 'user', content: 'Hi', name: 'alice' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
      { role: 'tool', content: '1', tool_call_id: 'c' },
    ],
    ...{ temperature: 0.5, top_p: 0.9, max_completion_tokens: 20, stop: 'END', seed: 4, presence_penalty: 0, n: 1 },
    ...{ logit_bias: null, user: 'u-1', metadata: { a: 'b' }, store: false, service_tier: 'auto', logprobs: null },
    response_format: { type: 'json_object' },
    tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object' }, strict: null } }],
    tool_choice: { type: 'function', function: { name: 'f' } },
    parallel_tool_calls: false,
  });
  expect(asked).toEqual({
    model: ID,
    messages: [
      { role: 'developer', content: 'Be\nbrief' },
      { role: 'user', content: 'Hi', name: 'alice' },
      { role: 'assistant', content: '', toolCalls: [{ id: 'c', name: 'f', arguments: '{}' }] },
      { role: 'tool', content: '1', toolCallId: 'c' },
    ],
    ...{ temperature: 0.5, topP: 0.9, maxTokens: 20, stop: ['END'], seed: 4 },
    responseFormat: { type: 'json_object' },
    tools: [{ name: 'f', parameters: { type: 'object' } }],
    toolChoice: { name: 'f' },
    parallelToolCalls: false,
  });
});

it('answers calls of tools', async () => {
  const { choices } = await client.chat.completions.create({ model: 'calling', messages: [...QUESTION] });
  expect(choices[0]).toMatchObject({
    finish_reason: 'tool_calls',
    message: {
      content: null,
      tool_calls: [
        { id: 'call_1', type: 'function', function: { name: 'fees', arguments: '{"a":1}' } },
        { id: 'call_2', type: 'function', function: { name: 'tip', arguments: '{}' } },
      ],
    },
  });
});

it.each([
  ['n', { n: 2 }],
  ['logprobs', { logprobs: true }],
  ['top_logprobs', { top_logprobs: 2 }],
  ['logit_bias', { logit_bias: { 50256: 1 } }],
  ['audio', { audio: { voice: 'alloy', format: 'mp3' } }],
  ['modalities[0]', { modalities: ['audio'] }],
  ['functions', { functions: [{ name: 'f' }] }],
  ['store', { store: true }],
  ['temperature', { temperature: 3 }],
  ['max_tokens', { max_tokens: 5, max_completion_tokens: 6 }],
  ['tool_choice', { tool_choice: 'required' }],
  ['nonsense', { nonsense: 1 }],
  ['messages', { messages: [] }],
  ['messages[0].role', { messages: [{ role: 'function', content: 'x', name: 'f' }] }],
  [
    'messages[0].content[0].type',
    { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'x' } }] }] },
  ],
  ['messages[0].tool_call_id', { messages: [{ role: 'tool', content: 'x' }] }],
])('names %s where it cannot do what is asked', async (param, more) => {
  const asking = client.chat.completions.create({ model: ID, messages: [...QUESTION], ...(more as object) });
  await expect(asking).rejects.toMatchObject({
    status: 400,
    param,
    code: 'invalid_request_error',
    type: 'invalid_value',
  });
  await expect(asking).rejects.toBeInstanceOf(OpenAI.BadRequestError);
});

it('answers the errors that clients know, with headers of limits', async () => {
  const ask = (by: OpenAI, model = ID) => by.chat.completions.create({ model, messages: [...QUESTION] });
  const reader = clientOf(await app.key({ scopes: ['wallets:read'] }));
  const cases = [
    [() => ask(clientOf('ak_nobody')), OpenAI.AuthenticationError, 401, 'authentication_error', ''],
    [() => ask(reader), OpenAI.PermissionDeniedError, 403, 'permission_denied', ''],
    [() => ask(client, 'gpt-0'), OpenAI.NotFoundError, 404, 'not_found', 'model'],
    [() => client.models.retrieve('gpt/0'), OpenAI.NotFoundError, 404, 'not_found', 'model'],
    [() => client.get('/nothing'), OpenAI.NotFoundError, 404, 'not_found', ''],
    [() => ask(client, 'broken'), OpenAI.InternalServerError, 500, 'server_error', ''],
    [() => ask(client, 'away'), OpenAI.InternalServerError, 503, 'server_error', ''],
  ] as const;
  for (const [asking, Class, status, code, param] of cases) {
    const error = await asking().then(
      () => null,
      (error: unknown) => error as InstanceType<typeof OpenAI.APIError>,
    );
    expect(error).toBeInstanceOf(Class);
    expect(error).toMatchObject({ status, code, param, type: expect.any(String) });
    expect(error?.headers?.get('x-ratelimit-limit')).toMatch(/^\d+$/);
  }
  await expect(ask(client, 'gpt-0')).rejects.toThrow(
    /there is no model "gpt-0": there are breaking, endless, meta\/llama-3:8b/,
  );
});

async function chunksOf<Chunk>(stream: AsyncIterable<Chunk>): Promise<Chunk[]> {
  const chunks: Chunk[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

const streamOf = (model: string, more: object = {}) =>
  client.chat.completions.create({ model, messages: [...QUESTION], stream: true, ...more });

it('streams chunks as OpenAI does', async () => {
  const { text, headers } = await app.post('/v1/ai/generate', {
    ...{ model: ID, messages: QUESTION, stream: true, stream_options: { include_usage: true } },
  });
  expect(headers).toMatchObject({ 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' });
  expect(headers).toHaveProperty('x-ratelimit-remaining');
  const events = text.split('\n\n');
  expect(events.splice(-2)).toEqual(['data: [DONE]', '']);
  const chunks = events.map((event) => JSON.parse(event.replace(/^data: /, '')));
  const { id, created } = chunks[0];
  const head = { id, object: 'chat.completion.chunk', created, model: ID };
  const chunk = (delta: object, finish_reason: string | null = null) => ({
    ...{ ...head, usage: null, choices: [{ index: 0, delta, logprobs: null, finish_reason }] },
  });
  expect(chunks).toEqual([
    chunk({ role: 'assistant', content: '', refusal: null }),
    chunk({ content: 'By ' }),
    chunk({ content: 'bumping ₿.' }),
    chunk({}, 'length'),
    { ...head, choices: [], usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 } },
  ]);
});

it('streams to the client, calls of tools too', async () => {
  const runner = client.chat.completions.stream({ model: 'calling', messages: [...QUESTION] });
  const message = await runner.finalMessage();
  expect(message.tool_calls?.map((call) => call.type === 'function' && call.function)).toMatchObject([
    { name: 'fees', arguments: '{"a":1}' },
    { name: 'tip', arguments: '{}' },
  ]);
  let said = '';
  for await (const { choices, usage } of await streamOf(ID)) {
    said += choices[0]?.delta.content ?? '';
    expect(usage).toBeUndefined();
  }
  expect(said).toBe('By bumping ₿.');
});

it('refuses before a stream begins, and tells what breaks it off', async () => {
  await expect(streamOf('nothing')).rejects.toBeInstanceOf(OpenAI.NotFoundError);
  await expect(streamOf('broken')).rejects.toBeInstanceOf(OpenAI.InternalServerError);
  const stream = await streamOf('breaking');
  await expect(chunksOf(stream)).rejects.toMatchObject({
    code: 'server_error',
    type: 'internal_error',
    param: '',
  });
});

it('refuses a prompt with a secret by its field, and writes no prompt to a log', async () => {
  const phrase = 'letter advice cage absurd amount doctor acoustic avoid letter advice cage above';
  const sentence = `what the customer of ${app.adminKey.slice(3, 8)} wanted to know about an invoice`;
  noteSecret('a phrase in a prompt', phrase);
  noteSecret('a prompt', sentence);
  const messages = (content: string) => [...QUESTION, { role: 'user', content }];
  expect((await app.post('/v1/ai/generate', { model: ID, messages: messages(sentence) })).status).toBe(200);
  for (const stream of [false, true]) {
    const { status, body, text } = await app.post('/v1/ai/generate', { model: ID, messages: messages(phrase), stream });
    expect([status, body.error.param, body.error.code]).toEqual([400, 'messages[1].content', 'invalid_request_error']);
    expect(text).not.toContain('advice');
  }
  // Each fails in the log of the service, and says no more.
  await app.post('/v1/ai/generate', { model: 'broken', messages: messages(sentence) });
});

it('ends the work of a client that goes away, and has room for the next', async () => {
  for (let i = 0; i < 60; i++) {
    const stream = await streamOf('endless');
    for await (const _ of stream) break;
    await aborted;
  }
});

it('has 50 answers of an account under way, and others have theirs', async () => {
  const streams = await Promise.all(Array.from({ length: 50 }, () => streamOf('endless')));
  const refused = expect(streamOf('endless')).rejects;
  await refused.toMatchObject({
    status: 429,
    code: 'rate_limit_exceeded',
    message: expect.stringContaining('50 answers'),
  });
  const { apiKey } = await app.anotherAccount();
  const other = await clientOf(apiKey).chat.completions.create({ model: ID, messages: [...QUESTION] });
  expect(other.usage?.total_tokens).toBe(10);
  for (const { controller } of streams) controller.abort();
  await expect
    .poll(() =>
      streamOf(ID).then(
        () => true,
        () => false,
      ),
    )
    .toBe(true);
});

describe('response_format json_schema', () => {
  const weighs = (content: string, schema: object, more: object = {}) =>
    client.chat.completions.create({
      ...{ model: 'weighing', messages: [{ role: 'user', content }] },
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'weight', schema: schema as Record<string, unknown> },
      },
      ...(more as { stream: false }),
    });
  const WEIGHT = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    ...{ type: 'object', properties: { sats: { type: 'integer' } }, required: ['sats'], additionalProperties: false },
  };

  it('holds the answer against it', async () => {
    expect((await weighs('{"sats":5}', WEIGHT)).choices[0]?.message.content).toBe('{"sats":5}');
    await expect(weighs('{"sats":"5"}', WEIGHT)).rejects.toMatchObject({
      status: 503,
      message: /sats must be integer/,
    });
    await expect(weighs('five', WEIGHT)).rejects.toMatchObject({ status: 503, message: /it is no JSON/ });
    const stream = weighs('{}', WEIGHT, { stream: true }) as unknown as Promise<AsyncIterable<unknown>>;
    await expect(stream.then((chunks) => chunksOf(chunks))).rejects.toThrow(/as response_format says/);
  });

  it.each([
    ['that is none', { type: 'thing' }],
    ['that refers to what is elsewhere', { $ref: 'https://example.com/schema' }],
    ['that is too large', { description: 'x'.repeat(65_536) }],
    ['that never ends', { $ref: '#' }],
  ])('refuses one %s', async (_, schema) => {
    const param = 'response_format.json_schema.schema';
    await expect(weighs('{"a":1}', schema)).rejects.toMatchObject({ status: 400, param });
  });

  it('takes time by the length of what patterns read, and refuses those that no such engine reads', async () => {
    const text = `"${'a'.repeat(60_000)}b"`;
    const asking = weighs(text, { type: 'string', pattern: '^(a+)+$' });
    await expect(asking).rejects.toMatchObject({ status: 503, message: /must match pattern/ });
    expect((await weighs(text, { type: 'string', pattern: '^(a+)+b$' })).choices[0]?.message.content).toBe(text);
    await expect(weighs('"aa"', { type: 'string', pattern: '(a)\\1' })).rejects.toMatchObject({ status: 400 });
  });
});

it('makes embeddings, in both encodings, of models that have them', async () => {
  const made = await client.embeddings.create({ model: 'vectors', input: ['a', 'bc'] });
  const [, second] = made.data;
  expect(Array.from(second?.embedding ?? [])).toEqual([1.5, 2]);
  const { body } = await app.post('/v1/ai/embeddings', { model: 'vectors', input: 'a' });
  expect(body).toEqual({
    ...{ object: 'list', model: 'vectors', usage: { prompt_tokens: 1, total_tokens: 1 } },
    data: [{ object: 'embedding', index: 0, embedding: [1.5, 1] }],
  });
  const refused = { status: 400, param: 'model', message: expect.stringContaining('there is vectors') };
  await expect(client.embeddings.create({ model: ID, input: 'a' })).rejects.toMatchObject(refused);
  const dimensions = client.embeddings.create({ model: 'vectors', input: 'a', dimensions: 8 });
  await expect(dimensions).rejects.toMatchObject({ status: 400, param: 'dimensions' });
});

it('answers by the guide of the documentation where nothing is configured', async () => {
  const bare = await startTestApp();
  try {
    const { body } = await bare.get('/v1/ai/models');
    expect(body.data).toMatchObject([{ id: 'ashlar-guide', owned_by: 'ashlar' }]);
    const asked = { model: 'ashlar-guide', messages: QUESTION };
    const answer = await bare.post('/v1/ai/generate', asked);
    expect(answer.body.choices[0].message.content).toContain('/bump');
    expect((await bare.post('/v1/ai/generate', { ...asked, stream: true })).text).toMatch(/data: \[DONE\]\n\n$/);
    expect((await bare.get('/v1/ai/status')).body).toMatchObject({
      ...{ status: 'ok', models_loaded: 1, total_requests: 2, average_latency_ms: expect.any(Number), error_rate: 0 },
    });
  } finally {
    await bare.close();
  }
});
