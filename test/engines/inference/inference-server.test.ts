/** The server that other tests rely on misbehaves as it is told to. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type InferenceServer, startInferenceServer } from '../../builders/inference-server.ts';

let server: InferenceServer;
beforeAll(async () => {
  server = await startInferenceServer();
});
afterAll(() => server.close());

const ask = (body: object, signal: AbortSignal | null = null) =>
  fetch(`${server.baseUrl}/chat/completions`, { method: 'POST', body: JSON.stringify(body), signal });
const hello = { model: 'tiny', messages: [{ role: 'user', content: 'one two' }] };

it('answers whole and in frames, with usage where it is asked for, and lists models and embeddings', async () => {
  expect(await (await ask(hello)).json()).toMatchObject({
    choices: [{ message: { role: 'assistant', content: 'Hello there.' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 2, completion_tokens: 2, total_tokens: 4 },
  });
  server.next.push({ content: 'ä € 😀', chunk: 1 });
  const text = await (await ask({ ...hello, stream: true, stream_options: { include_usage: true } })).text();
  const frames = text.trim().split('\n\n');
  expect(frames.pop()).toBe('data: [DONE]');
  const data = frames.map((frame) => JSON.parse(frame.slice('data: '.length)));
  expect(data.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe('ä € 😀');
  expect(data.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: 2, completion_tokens: 3 } });
  expect(await (await fetch(`${server.baseUrl}/models`)).json()).toMatchObject({ data: [{ id: 'tiny' }] });
  const embeddings = await fetch(`${server.baseUrl}/embeddings`, { method: 'POST', body: '{"input":["a","bc"]}' });
  expect(await embeddings.json()).toMatchObject({ data: [{ embedding: [1, 0, 0.5] }, { embedding: [2, 1, 0.5] }] });
});

it('answers a status, breaks off, stalls, and counts who went away', async () => {
  server.next.push({ status: 429, headers: { 'retry-after': '7' } }, { breakAfter: 2 }, { stallAfter: 1 });
  const limited = await ask(hello);
  expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '7']);
  await expect((await ask({ ...hello, stream: true })).text()).rejects.toThrow();
  await expect.poll(server.underWay).toBe(0);
  const before = server.cancelled();
  const away = new AbortController();
  await ask({ ...hello, stream: true }, away.signal);
  expect(server.underWay()).toBe(1);
  away.abort();
  await expect.poll(server.underWay).toBe(0);
  expect(server.cancelled()).toBe(before + 1);
});
