/** An OpenAI-compatible server on loopback that can be told to misbehave: chat completions (streamed or not), models, embeddings. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Json } from './app.ts';

interface Asked {
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: Json;
}

export interface InferenceAnswer {
  /** In pieces, when streamed. A text is cut at its blanks. */
  readonly content?: string | readonly string[];
  readonly toolCalls?: readonly { readonly id: string; readonly name: string; readonly arguments: string }[];
  /** Unless said `stop`, or `tool_calls`. */
  readonly finish?: unknown;
  /** Unless said counted in words; null: none is told. */
  readonly usage?: { readonly prompt_tokens: unknown; readonly completion_tokens: unknown } | null;
  /** Any other status is answered with `body`, or an error of OpenAI's form. */
  readonly status?: number;
  readonly headers?: Record<string, string>;
  /** Sent as it is in place of what would be. */
  readonly body?: string | Buffer;
  /** Silent for ever after so many frames; 0: not even a status. */
  readonly stallAfter?: number;
  /** The connection is cut after so many frames; 0: before the status. */
  readonly breakAfter?: number;
  /** Between two frames. */
  readonly everyMs?: number;
  /** Bytes of an HTTP chunk: 1 splits every character and every frame. */
  readonly chunk?: number;
}

export interface InferenceServer {
  /** With /v1. */
  readonly baseUrl: string;
  /** All that arrived, in order. */
  readonly asked: Asked[];
  /** To the next questions, one each, before `answer`. */
  readonly next: InferenceAnswer[];
  /** To all others. */
  answer: (asked: Asked) => InferenceAnswer;
  openSockets(): number;
  /** Questions that are being answered. */
  underWay(): number;
  /** Of those so many were given up by who asked. */
  cancelled(): number;
  close(): Promise<void>;
}

const words = (text: string): string[] => text.match(/\s*\S+\s*$|\s*\S+/g) ?? [];
const turn = () => new Promise((resolve) => setImmediate(resolve));

export async function startInferenceServer(options: { models?: readonly string[] } = {}): Promise<InferenceServer> {
  const { models = ['tiny'] } = options;
  const asked: Asked[] = [];
  const next: InferenceAnswer[] = [];
  const sockets = new Set<Socket>();
  let [underWay, cancelled, answered] = [0, 0, 0];
  const steady: Pick<InferenceServer, 'answer'> = { answer: () => ({}) };

  const server = createServer((request, response) => {
    underWay += 1;
    response.once('close', () => {
      underWay -= 1;
      if (!response.writableFinished) cancelled += 1;
    });
    respond(request, response).catch(() => response.destroy());
  });
  server.on('connection', (socket) => {
    sockets.add(socket.setNoDelay(true));
    socket.once('close', () => sockets.delete(socket));
  });

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const text = Buffer.concat(pieces).toString();
    const question: Asked = {
      path: request.url ?? '',
      headers: request.headers as Record<string, string>,
      body: text === '' ? null : JSON.parse(text),
    };
    asked.push(question);
    const answer = next.shift() ?? steady.answer(question);
    const { status = 200, body } = answer;
    if (status !== 200) {
      const error = { message: `the server says ${status}`, type: 'server_error', code: null, param: null };
      return send(response, answer, [body ?? JSON.stringify({ error })], 'application/json');
    }
    const streams = question.path === '/v1/chat/completions' && question.body.stream === true;
    if (body !== undefined) return send(response, answer, [body], streams ? 'text/event-stream' : 'application/json');
    if (streams) return send(response, answer, framesOf(question.body, answer), 'text/event-stream; charset=utf-8');
    return send(response, answer, [JSON.stringify(wholeOf(question, answer))], 'application/json');
  }

  async function send(
    response: ServerResponse,
    { status = 200, headers = {}, stallAfter, breakAfter, everyMs, chunk }: InferenceAnswer,
    frames: readonly (string | Buffer)[],
    type: string,
  ): Promise<void> {
    for (let at = 0; at <= frames.length; at++) {
      if (at === breakAfter) return void response.destroy();
      if (at === stallAfter) return;
      if (at === 0) response.writeHead(status, { 'content-type': type, ...headers });
      const frame = Buffer.from(frames[at] ?? '');
      if (everyMs !== undefined && at > 0) await sleep(everyMs);
      for (let from = 0; from < frame.length && !response.destroyed; from += chunk ?? frame.length) {
        response.write(frame.subarray(from, from + (chunk ?? frame.length)));
        await turn();
      }
    }
    response.end();
  }

  const usageOf = (body: Json, answer: InferenceAnswer) => {
    const prompt = words(body.messages?.map(({ content }: Json) => content).join(' ') ?? '').length;
    const said = words([answer.content ?? ''].flat().join('')).length;
    const { prompt_tokens, completion_tokens } = answer.usage ?? { prompt_tokens: prompt, completion_tokens: said };
    return { prompt_tokens, completion_tokens, total_tokens: Number(prompt_tokens) + Number(completion_tokens) };
  };
  const finishOf = ({ finish, toolCalls }: InferenceAnswer) => finish ?? (toolCalls ? 'tool_calls' : 'stop');
  const saidBy = ({ content, toolCalls }: InferenceAnswer) => content ?? (toolCalls ? [] : 'Hello there.');

  function framesOf(body: Json, given: InferenceAnswer): string[] {
    const answer = { ...given, content: saidBy(given) };
    const head = { id: `chatcmpl-${++answered}`, object: 'chat.completion.chunk', created: 1, model: body.model };
    const frame = (rest: object) => `data: ${JSON.stringify({ ...head, ...rest })}\n\n`;
    const choice = (delta: object, finish_reason: unknown = null) =>
      frame({ choices: [{ index: 0, delta, finish_reason }] });
    const pieces = typeof answer.content === 'string' ? words(answer.content) : answer.content;
    const frames = [choice({ role: 'assistant', content: '' }), ...pieces.map((content) => choice({ content }))];
    for (const [index, call] of (answer.toolCalls ?? []).entries()) {
      const half = Math.ceil(call.arguments.length / 2);
      const begun = { name: call.name, arguments: call.arguments.slice(0, half) };
      frames.push(choice({ tool_calls: [{ index, id: call.id, type: 'function', function: begun }] }));
      frames.push(choice({ tool_calls: [{ index, function: { arguments: call.arguments.slice(half) } }] }));
    }
    frames.push(choice({}, finishOf(answer)));
    if (answer.usage !== null && body.stream_options?.include_usage)
      frames.push(frame({ choices: [], usage: usageOf(body, answer) }));
    return [...frames, 'data: [DONE]\n\n'];
  }

  function wholeOf({ path, body }: Asked, given: InferenceAnswer): object {
    if (path === '/v1/models')
      return { object: 'list', data: models.map((id) => ({ id, object: 'model', created: 1, owned_by: 'test' })) };
    if (path === '/v1/embeddings') {
      const inputs: string[] = [body.input].flat();
      const data = inputs.map((text, index) => ({ object: 'embedding', index, embedding: [text.length, index, 0.5] }));
      const prompt_tokens = words(inputs.join(' ')).length;
      return { object: 'list', model: body.model, data, usage: { prompt_tokens, total_tokens: prompt_tokens } };
    }
    const answer = { ...given, content: saidBy(given) };
    const message = {
      role: 'assistant',
      content: [answer.content].flat().join(''),
      ...(answer.toolCalls && {
        tool_calls: answer.toolCalls.map(({ id, ...call }) => ({ id, type: 'function', function: call })),
      }),
    };
    return {
      ...{ id: `chatcmpl-${++answered}`, object: 'chat.completion', created: 1, model: body.model },
      choices: [{ index: 0, message, finish_reason: finishOf(answer) }],
      ...(answer.usage !== null && { usage: usageOf(body, answer) }),
    };
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  const { port } = server.address() as AddressInfo;
  return Object.assign(steady, {
    ...{ baseUrl: `http://127.0.0.1:${port}/v1`, asked, next },
    openSockets: () => sockets.size,
    underWay: () => underWay,
    cancelled: () => cancelled,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
}
