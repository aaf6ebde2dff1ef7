/**
 * Streams of a model through the service against the bare upstream, 100 that begin one after another, in turns: time to the first token, time for a token, and the CPU time of the
 * service for a token and its memory for an open stream. Run: npm run build && node test/bench/inference-streams.ts
 */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { startInferenceServer } from '../builders/inference-server.ts';
import { startService } from '../builders/service-process.ts';

const STREAMS = 100;
const TOKENS = 100;
const EVERY_MS = 30;
const ROUNDS = 5;
/** One stream begins so long after another. */
const BEGINS_MS = 25;
/** Each has at most 50 under way. */
const ACCOUNTS = 4;

const upstream = await startInferenceServer();
upstream.answer = () => ({ content: Array.from({ length: TOKENS }, () => 'token '), everyMs: EVERY_MS });
const file = join(mkdtempSync(join(tmpdir(), 'ashlar-bench-')), 'ai.json');
const model = { name: 'bench', base_url: upstream.baseUrl, models: [{ name: 'tiny' }], max_concurrent: 2 * STREAMS };
writeFileSync(file, JSON.stringify({ upstreams: [model] }));
const service = await startService(
  { CHAIN: 'simulated', AI_CONFIG: file, LOG_LEVEL: 'info' },
  { main: new URL('../../dist/main.js', import.meta.url) },
);
const keys: string[] = [];
for (let at = 0; at < ACCOUNTS; at++) {
  const { body } = await service.call('POST', '/api/v1/accounts', { name: `bench ${at}`, tier: 'enterprise' });
  keys.push(body.api_key);
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
/** User and system time of all threads, in milliseconds (proc(5)). */
const cpuMs = (): number => {
  const fields = readFileSync(`/proc/${service.pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
};
const residentKib = (): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8'))?.[1] ?? 0);

async function stream(pool: Pool, path: string, at: number): Promise<{ first: number; token: number }> {
  const body = JSON.stringify({ model: 'tiny', stream: true, messages: [{ role: 'user', content: 'go' }] });
  await sleep(at * BEGINS_MS);
  const began = performance.now();
  const headers = { authorization: `Bearer ${keys[at % ACCOUNTS]}`, 'content-type': 'application/json' };
  const answer = await pool.request({ method: 'POST', path, headers, body });
  if (answer.statusCode !== 200) throw new Error(`${answer.statusCode} ${await answer.body.text()}`);
  let first = 0;
  let last = 0;
  for await (const chunk of answer.body) {
    if (!chunk.includes('token ')) continue;
    last = performance.now();
    first ||= last;
  }
  return { first: first - began, token: (last - first) / (TOKENS - 1) };
}

const ways = {
  bare: { pool: new Pool(new URL(upstream.baseUrl).origin, { connections: STREAMS }), path: '/v1/chat/completions' },
  service: { pool: new Pool(service.baseUrl, { connections: STREAMS }), path: '/v1/ai/generate' },
};
const all = {
  bare: { first: [] as number[], token: [] as number[] },
  service: { first: [] as number[], token: [] as number[] },
};
const cpu: number[] = [];
const memory: number[] = [];
for (let round = -1; round < ROUNDS; round++) {
  for (const way of ['bare', 'service'] as const) {
    const [before, rests] = [cpuMs(), residentKib()];
    let most = rests;
    const watch = setInterval(() => {
      most = Math.max(most, residentKib());
    }, 50);
    const streams = Array.from({ length: STREAMS }, (_, at) => stream(ways[way].pool, ways[way].path, at));
    const results = await Promise.all(streams);
    clearInterval(watch);
    // The first round warms up.
    if (round < 0) continue;
    for (const { first, token } of results) {
      all[way].first.push(first);
      all[way].token.push(token);
    }
    if (way === 'bare') continue;
    cpu.push(((cpuMs() - before) * 1000) / (STREAMS * TOKENS));
    memory.push((most - rests) / STREAMS);
  }
}
for (const way of ['bare', 'service'] as const) {
  const { first, token } = all[way];
  console.log(`${way.padEnd(8)} first token ${median(first).toFixed(1)} ms, a token ${median(token).toFixed(2)} ms`);
}
const added = median(all.service.first) - median(all.bare.first);
console.log(
  `added    first token ${added.toFixed(1)} ms, a token ${(median(all.service.token) / median(all.bare.token)).toFixed(3)}x`,
);
console.log(
  `service  ${median(cpu).toFixed(0)} µs of CPU for a token, ${median(memory).toFixed(0)} KiB more memory for an open stream`,
);
await service.dispose();
await upstream.close();
for (const { pool } of Object.values(ways)) await pool.close();
