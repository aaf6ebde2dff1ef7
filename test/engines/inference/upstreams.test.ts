/** Upstreams that fall silent, break off, refuse, write nonsense: what callers get, what the upstreams see. */
import { Readable } from 'node:stream';
import { Registry } from 'prom-client';
import { afterEach, describe, expect, it } from 'vitest';
import type { AccountId } from '../../../src/core/ids.ts';
import type { ChatPiece, ChatRequest } from '../../../src/core/inference/chat.ts';
import { createUpstreams, type UpstreamsDeps } from '../../../src/engines/inference/create-upstreams.ts';
import type { InferenceConfig, UpstreamConfig } from '../../../src/engines/inference/inference-config.ts';
import { createInferenceCounts, inferenceSeries } from '../../../src/engines/inference/inference-series.ts';
import { readStream } from '../../../src/engines/inference/read-answer.ts';
import { type InferenceAnswer, type InferenceServer, startInferenceServer } from '../../builders/inference-server.ts';

const disposables: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const dispose of disposables.splice(0).toReversed()) await dispose();
});

const price = { inputPerMillion: 150_000n, outputPerMillion: 600_000n };
const upstreamOf = (name: string, server: InferenceServer, given: Partial<UpstreamConfig> = {}): UpstreamConfig => ({
  ...{ name, baseUrl: server.baseUrl, apiKey: `sk-${name}-secret`, maxConcurrent: 8, maySeeRecords: false },
  models: [
    {
      ...{ id: `${name}-1`, aliases: [`${name}-alias`], upstreamModel: 'tiny', contextLength: 4096, price },
      ...{ embeddings: false, maxTokensField: 'max_tokens' },
    },
    {
      ...{ id: `${name}-vectors`, aliases: [], upstreamModel: 'vectors', contextLength: null, price: null },
      ...{ embeddings: true, maxTokensField: 'max_tokens' },
    },
  ],
  timeouts: { connectMs: 60_000, firstByteMs: 60_000, silenceMs: 60_000, placeMs: 60_000 },
  ...given,
});

/** A server for each name, and a route `any` over `a`, then `b`. */
async function open(
  given: Partial<UpstreamConfig> = {},
  {
    routes,
    rounds = 1,
    ...deps
  }: Partial<UpstreamsDeps> & { routes?: InferenceConfig['routes']; rounds?: number } = {},
) {
  const [a, b] = [await startInferenceServer(), await startInferenceServer()];
  const log: { level: string; facts: any; message: string }[] = [];
  const time = { ahead: 0 };
  const config: InferenceConfig = {
    upstreams: [upstreamOf('a', a, given), upstreamOf('b', b)],
    routes: routes ?? [{ id: 'any', steps: [[{ model: 'a-1', weight: 1 }], [{ model: 'b-1', weight: 1 }]] }],
    retries: { rounds, longestWaitMs: 60_000 },
  };
  const { metrics, ...counts } = createInferenceCounts();
  const upstreams = createUpstreams(config, {
    log: {
      warn: (facts, message) => log.push({ level: 'warn', facts, message }),
      info: (facts, message) => log.push({ level: 'info', facts, message }),
    },
    ...{ clock: () => Date.now() + time.ahead, counts, ...deps },
    circuit: { coolDownMs: 1, ...deps.circuit },
  });
  disposables.push(a.close, b.close, upstreams.close);
  const registry = new Registry();
  inferenceSeries({ metrics, circuits: upstreams.circuits, stale: () => false })(registry);
  const valuesOf = async (name: string) => (await registry.getSingleMetric(`ashlar_inference_${name}`)!.get()).values;
  const results = async () =>
    Object.fromEntries(
      (await valuesOf('requests_total')).map(({ labels, value }) => [`${labels.upstream} ${labels.result}`, value]),
    );
  return { a, b, upstreams, log, time, config, results, valuesOf };
}

const hello: ChatRequest = { model: 'any', messages: [{ role: 'user', content: 'hi' }], tools: [] };
const account = (name: string) => `acc_${name}` as AccountId;

type Opened = Awaited<ReturnType<typeof open>>;

function ask({ upstreams }: Pick<Opened, 'upstreams'>, request: Partial<ChatRequest> = {}, from = 'one') {
  const away = new AbortController();
  const pieces: ChatPiece[] = [];
  const by: string[] = [];
  const call = {
    ...{ accountId: account(from), signal: away.signal },
    answeredBy: ({ upstream, model }: { upstream: string; model: string }) => void by.push(`${upstream} ${model}`),
  };
  const done = (async () => {
    for await (const piece of upstreams.chat({ ...hello, ...request }, call)) pieces.push(piece);
    return { pieces, by, text: pieces.map((piece) => ('content' in piece ? piece.content : '')).join('') };
  })();
  done.catch(() => {});
  return { done, pieces, leave: () => away.abort(new Error('away')) };
}

describe('an answer', () => {
  it('arrives exactly, whatever its bytes are cut into, with tool calls, the end and usage in this order', async () => {
    const opened = await open();
    const toolCalls = [
      { id: 'call_1', name: 'fee', arguments: '{"blocks":2}' },
      { id: 'call_2', name: 'tip', arguments: '{"ä":"😀"}' },
    ];
    const content = ['ä\n€', '\r\n\r\ndata: ', '😀\u2028', '"\\'];
    for (const chunk of [1, 2, 3, 7, 100_000]) {
      opened.a.next.push({ content, toolCalls, chunk, usage: { prompt_tokens: 12, completion_tokens: 34 } });
      const { pieces, text, by } = await ask(opened).done;
      expect([text, by]).toEqual([content.join(''), ['a a-1']]);
      const called = ['', ''];
      for (const piece of pieces) if ('toolCall' in piece) called[piece.toolCall.index] += piece.toolCall.arguments;
      expect(called).toEqual(toolCalls.map((one) => one.arguments));
      expect(pieces.slice(-2)).toEqual([
        { finish: 'tool_calls' },
        { usage: { promptTokens: 12, completionTokens: 34, estimated: false } },
      ]);
    }
    expect(opened.a.openSockets()).toBeLessThanOrEqual(2);
  });

  it('is asked for with what every server knows, by the model of the upstream, with its key', async () => {
    const opened = await open();
    const schema = { type: 'object' };
    await ask(opened, {
      model: 'a-alias',
      messages: [
        { role: 'developer', content: 'be brief' },
        { role: 'tool', content: '2', toolCallId: 'call_1' },
      ],
      ...{ temperature: 0, maxTokens: 5, stop: ['x'], seed: 7, tools: [{ name: 'fee', parameters: schema }] },
      ...{ toolChoice: { name: 'fee' }, responseFormat: { type: 'json_schema', name: 'n', schema, strict: true } },
    }).done;
    const { body, headers } = opened.a.asked[0]!;
    expect(headers.authorization).toBe('Bearer sk-a-secret');
    expect(body).toEqual({
      ...{ model: 'tiny', stream: true, stream_options: { include_usage: true }, temperature: 0, max_tokens: 5 },
      messages: [
        { role: 'system', content: 'be brief' },
        { role: 'tool', content: '2', tool_call_id: 'call_1' },
      ],
      ...{ stop: ['x'], seed: 7 },
      tools: [{ type: 'function', function: { name: 'fee', parameters: schema } }],
      tool_choice: { type: 'function', function: { name: 'fee' } },
      response_format: { type: 'json_schema', json_schema: { name: 'n', schema, strict: true } },
    });
  });

  it('may come as one document, with a reason nobody knows, without usage or with one that is none', async () => {
    const opened = await open();
    const frame = (rest: object) => `data: ${JSON.stringify({ choices: [{ delta: { content: 'x' }, ...rest }] })}\n\n`;
    const whole = { choices: [{ message: { content: 'x' }, finish_reason: 'eos' }], usage: { prompt_tokens: -1 } };
    const bodies: InferenceAnswer[] = [
      { body: JSON.stringify(whole), headers: { 'content-type': 'application/json' } },
      { body: `: ping\n\n${frame({ finish_reason: 'max_tokens' })}data: [DONE]\n\n` },
      { body: frame({ finish_reason: 'constructor' }) },
      { finish: 'content_filter', content: 'x', usage: { prompt_tokens: 1.5, completion_tokens: 'many' } },
    ];
    opened.a.next.push(...bodies);
    const ends = [];
    for (const _ of bodies) ends.push((await ask(opened).done).pieces);
    expect(ends).toEqual(['stop', 'length', 'stop', 'content_filter'].map((finish) => [{ content: 'x' }, { finish }]));
  });

  it('makes embeddings in the order of the inputs, a few at once, by one space', async () => {
    const opened = await open();
    const by: string[] = [];
    const call = {
      ...{ accountId: account('one'), signal: new AbortController().signal },
      answeredBy: ({ upstream }: { upstream: string }) => void by.push(upstream),
    };
    const inputs = Array.from({ length: 20 }, (_, at) => 'x'.repeat(at + 1));
    const paid: number[] = [];
    const { vectors, promptTokens } = await opened.upstreams.embed('a-vectors', inputs, {
      ...call,
      embedded: (tokens) => void paid.push(tokens),
    });
    expect([paid.length > 1, paid.reduce((sum, one) => sum + one)]).toEqual([true, promptTokens]);
    expect([vectors.map(([length]) => length), promptTokens, by]).toEqual([inputs.map((one) => one.length), 20, ['a']]);
    opened.a.next.push({ body: '{"data":[],"usage":{"prompt_tokens":1}}' }, { body: '{}' });
    await expect(opened.upstreams.embed('a-vectors', ['x'], call)).rejects.toMatchObject({ code: 'unavailable' });
    const refused = { code: 'invalid_value', details: { field: 'model' } };
    await expect(opened.upstreams.embed('a-1', ['x'], call)).rejects.toMatchObject(refused);
    await expect(ask(opened, { model: 'a-vectors' }).done).rejects.toMatchObject(refused);
  });
});

describe('an upstream that fails', () => {
  it('is stood in for by the next, and asked again after a cool-down where there is none', async () => {
    const opened = await open();
    opened.a.next.push({ status: 500 });
    expect((await ask(opened).done).by).toEqual(['b b-1']);
    opened.time.ahead += 1_000;
    opened.a.next.push({ breakAfter: 0 });
    expect((await ask(opened, { model: 'a-1' }).done).by).toEqual(['a a-1']);
    expect(opened.a.asked).toHaveLength(3);
    expect(await opened.results()).toMatchObject({
      'a failing': 1,
      'a broken_off': 1,
      'a answered': 1,
      'b answered': 1,
    });
  });

  it('is not asked again, nor another, once something went out', async () => {
    const opened = await open();
    opened.a.next.push({ breakAfter: 2 });
    const { done, pieces } = ask(opened);
    await expect(done).rejects.toMatchObject({ code: 'unavailable' });
    expect([pieces, opened.a.asked.length, opened.b.asked.length]).toEqual([[{ content: 'Hello' }], 1, 0]);
  });

  it('keeps to Retry-After, so far: others are asked meanwhile, and callers told when', async () => {
    const opened = await open({}, { rounds: 0, circuit: { longestCoolDownMs: 40_000 } });
    opened.a.next.push({ status: 429, headers: { 'retry-after': '30' } });
    expect((await ask(opened).done).by).toEqual(['b b-1']);
    expect((await ask(opened).done).by).toEqual(['b b-1']);
    const refused = { code: 'unavailable', details: { retryAfterSeconds: 30 } };
    await expect(ask(opened, { model: 'a-1' }).done).rejects.toMatchObject(refused);
    expect([opened.a.asked.length, opened.upstreams.degraded()]).toEqual([1, []]);
    opened.time.ahead += 30_000;
    opened.a.next.push({ status: 429, headers: { 'retry-after': '86400' } });
    await ask(opened).done;
    opened.time.ahead += 40_000;
    expect((await ask(opened).done).by).toEqual(['a a-1']);
  });

  it('is not asked while its circuit is open; one question tries it; two lines are logged', async () => {
    const opened = await open({}, { rounds: 0, circuit: { opensAfter: 3, openMs: 1_000, coolDownMs: 1 } });
    const { a, time, upstreams, log } = opened;
    a.answer = () => ({ status: 503 });
    for (let at = 0; at < 3; at++) {
      await ask(opened).done;
      time.ahead += 10;
    }
    expect([a.asked.length, upstreams.degraded()]).toEqual([3, ['a']]);
    expect((await opened.valuesOf('circuit_open')).map(({ value }) => value)).toEqual([1, 0]);
    await ask(opened).done;
    expect(a.asked).toHaveLength(3);
    time.ahead += 1_000;
    await ask(opened).done;
    await ask(opened).done;
    expect(a.asked).toHaveLength(4);
    // Twice as long now.
    time.ahead += 1_500;
    await ask(opened).done;
    expect(a.asked).toHaveLength(4);
    time.ahead += 1_000;
    a.answer = () => ({});
    expect((await ask(opened).done).by).toEqual(['a a-1']);
    expect(upstreams.degraded()).toEqual([]);
    expect(log.map(({ level, message }) => [level, message])).toEqual([
      ['warn', 'the upstream a does not answer: it is not asked for a while'],
      ['info', 'the upstream a answers again'],
    ]);
    expect(JSON.stringify(log)).not.toContain('secret');
  });

  it.each<[string, InferenceAnswer, string]>([
    ['stalls before an answer', { stallAfter: 0 }, 'took too long'],
    ['stalls after its headers', { stallAfter: 1 }, 'took too long'],
    ['writes no JSON', { body: 'data: {"choices"\n\n' }, 'answers what is no answer of this protocol (no JSON)'],
    ['writes another JSON', { body: 'data: {"choices": 7}\n\n' }, 'answers what is no answer of this protocol'],
    [
      'writes no UTF-8',
      { body: Buffer.from('data: {"\xff"}\n\n', 'latin1') },
      'answers what is no answer of this protocol (no UTF-8)',
    ],
    ['never ends a line', { body: `data: ${'x'.repeat(300_000)}` }, 'answers more than is taken'],
    [
      'begins tool calls nowhere',
      { body: 'data: {"choices":[{"delta":{"tool_calls":[{"index":5,"function":{"name":"x"}}]}}]}\n\n' },
      'answers what is no answer of this protocol',
    ],
    ['ends without an end', { body: 'data: {"choices":[]}\n\ndata: [DONE]\n\n' }, 'broke its answer off'],
    [
      'tells an error as an event',
      { body: 'data: {"error":{"message":"CUDA at 10.1.2.3 sk-a-secret","code":500}}\n\n' },
      'is out of order (in its answer)',
    ],
    [
      'answers a page',
      { body: '<html>', headers: { 'content-type': 'text/html' } },
      'answers what is no answer of this protocol (neither an event stream nor JSON)',
    ],
    [
      'compresses',
      { headers: { 'content-encoding': 'gzip' } },
      'answers what is no answer of this protocol (compressed)',
    ],
    [
      'redirects',
      { status: 307, headers: { location: 'http://127.0.0.1:1/' } },
      'redirects elsewhere, which is not followed (HTTP 307)',
    ],
    ['refuses the key', { status: 401, body: 'no such key sk-a-secret' }, 'refuses the service itself (HTTP 401)'],
  ])('%s: callers learn that, and nothing that it wrote', async (_, answer, says) => {
    const timeouts = { connectMs: 60_000, firstByteMs: 200, silenceMs: 200, placeMs: 60_000 };
    const opened = await open(/stalls/.test(_) ? { timeouts } : {}, { rounds: 0 });
    opened.a.next.push(answer);
    const error = await ask(opened, { model: 'a-1' }).done.catch((caught) => caught);
    expect([error.code, error.message]).toEqual(['unavailable', `the model a-1 does not answer: its upstream ${says}`]);
    await expect.poll(opened.a.underWay).toBe(0);
  });

  it.each<[string, number, object | string, string | undefined]>([
    [
      'a context that is too long',
      400,
      { error: { code: 'context_length_exceeded', message: 'at 10.1.2.3' } },
      'messages',
    ],
    [
      'the same of another server',
      500 - 100,
      { object: 'error', message: "This model's maximum context length is 4096" },
      'messages',
    ],
    [
      'a parameter',
      400,
      { error: { param: 'response_format.json_schema', message: 'sk-a-secret' } },
      'response_format.json_schema',
    ],
    ['what it calls otherwise', 422, { error: { param: 'max_completion_tokens' } }, 'max_tokens'],
    ['a parameter of its own', 400, { error: { param: 'internal_host=10.1.2.3' } }, undefined],
    ['no JSON', 400, 'sk-a-secret', undefined],
  ])('refuses %s: the caller is told which parameter, and nothing that it wrote', async (_, status, said, field) => {
    const opened = await open({}, { rounds: 0 });
    opened.a.answer = () => ({ status, body: typeof said === 'string' ? said : JSON.stringify(said) });
    const error = await ask(opened, { model: 'a-1' }).done.catch((caught) => caught);
    expect([error.code, error.details.field]).toEqual(['invalid_value', field]);
    expect(error.message + JSON.stringify(error.details)).not.toMatch(/secret|10\.1/);
    expect(opened.a.asked).toHaveLength(1);
  });
});

describe('what is asked', () => {
  it('is spread by weight', async () => {
    let at = 7;
    const random = () => {
      at = (at * 16_807) % 2_147_483_647;
      return at / 2_147_483_647;
    };
    const step = [
      { model: 'a-1', weight: 3 },
      { model: 'b-1', weight: 1 },
    ];
    const opened = await open({}, { routes: [{ id: 'any', steps: [step] }], random });
    for (let times = 0; times < 40; times++) await ask(opened).done;
    expect(opened.a.asked.length).toBeGreaterThan(25);
    expect(opened.b.asked.length).toBeGreaterThan(5);
  });

  it('takes turns by account for the places there are, and gives up with who asked', async () => {
    const opened = await open({ maxConcurrent: 1 });
    const { a } = opened;
    a.next.push({ stallAfter: 2 });
    const first = ask(opened, { model: 'a-1' }, 'greedy');
    await expect.poll(() => first.pieces.length).toBe(1);
    const seen: string[] = [];
    const others = ['greedy', 'greedy', 'gone', 'modest'].map((from) => {
      const one = ask(opened, { model: 'a-1' }, from);
      void one.done.then(
        () => seen.push(from),
        () => {},
      );
      return one;
    });
    others[2]!.leave();
    await expect(others[2]!.done).rejects.toThrow('away');
    expect(a.asked).toHaveLength(1);
    first.leave();
    await expect(first.done).rejects.toThrow('away');
    await Promise.all([0, 1, 3].map((at) => others[at]!.done));
    expect([seen, a.cancelled()]).toEqual([['modest', 'greedy', 'greedy'], 1]);
  });

  it('never has all places for one account', async () => {
    const opened = await open({ maxConcurrent: 2 });
    opened.a.next.push({ stallAfter: 2 });
    const first = ask(opened, { model: 'a-1' }, 'greedy');
    await expect.poll(() => first.pieces.length).toBe(1);
    const second = ask(opened, { model: 'a-1' }, 'greedy');
    await ask(opened, { model: 'a-1' }, 'modest').done;
    expect([opened.a.asked.length, second.pieces]).toEqual([2, []]);
    first.leave();
    await second.done;
  });

  it('is not taken for away while it thinks, and what it thinks is not passed on', async () => {
    const event = (delta: object) => `data: ${JSON.stringify({ choices: [{ delta }] })}\n\n`;
    const stream = [
      ': working\n\n',
      event({ role: 'assistant' }),
      event({ reasoning_content: 'hm' }),
      event({ content: 'Hi' }),
    ];
    const end = 'data: {"choices":[{"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';
    const pieces: (ChatPiece | null)[] = [];
    for await (const piece of readStream(Readable.from([Buffer.from(stream.join('') + end)]))) pieces.push(piece);
    expect(pieces).toEqual([null, null, { content: '' }, { content: 'Hi' }, { finish: 'stop' }]);
  });

  it('ends in a cool-down with who asked', async () => {
    const opened = await open();
    opened.a.next.push({ status: 429, headers: { 'retry-after': '20' } });
    const { done, leave } = ask(opened, { model: 'a-1' });
    await expect.poll(async () => (await opened.results())['a limited']).toBe(1);
    leave();
    await expect(done).rejects.toThrow('away');
    expect(opened.a.asked).toHaveLength(1);
  });

  it('goes on as it began when the configuration changes, and the next by the new one', async () => {
    const opened = await open();
    const { a, b, upstreams, config } = opened;
    a.next.push({ stallAfter: 2 });
    const first = ask(opened);
    await expect.poll(() => first.pieces.length).toBe(1);
    upstreams.reload({
      ...config,
      upstreams: [config.upstreams[1]!],
      routes: [{ id: 'any', steps: [[{ model: 'b-1', weight: 1 }]] }],
    });
    expect((await ask(opened).done).by).toEqual(['b b-1']);
    await expect(ask(opened, { model: 'a-1' }).done).rejects.toMatchObject({ code: 'not_found' });
    expect([a.underWay(), b.openSockets(), upstreams.models().map(({ id }) => id)]).toEqual([
      1,
      1,
      ['b-1', 'b-alias', 'b-vectors', 'any'],
    ]);
    first.leave();
    await expect(first.done).rejects.toThrow('away');
    await expect.poll(a.openSockets).toBe(0);
  });
});
