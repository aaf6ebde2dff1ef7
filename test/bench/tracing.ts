/**
 * What tracing costs a read: GET of one wallet without it, traced and sampled out, traced and sent; what the serving thread computes for one
 * request, medians of alternating rounds. Run: node test/bench/tracing.ts [SECONDS [ROUNDS]]
 */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
// @ts-expect-error it brings no types
import autocannon from 'autocannon';
import { createLog } from '../../src/app/log.ts';
import { logDestination } from '../../src/app/log-destination.ts';
import { startTestApp } from '../builders/app.ts';

const SECONDS = Number(process.argv[2] ?? 3);
const ROUNDS = Number(process.argv[3] ?? 5);

// The collector computes on a thread of its own.
const collector = new Worker(
  `const { parentPort } = require('node:worker_threads');
   const server = require('node:http').createServer((request, response) => {
     request.resume().on('end', () => response.end('{}'));
   });
   server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));`,
  { eval: true },
);
const [port] = (await once(collector, 'message')) as [number];
const on = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` };
const SIDES = { off: {}, 'sampled out': { ...on, OTEL_TRACES_SAMPLER: 'always_off' }, sent: on } as const;
type Side = keyof typeof SIDES;

async function side(env: Record<string, string>) {
  const app = await startTestApp({ env, log: createLog('info', logDestination('/dev/null')) });
  const made = await app.post('/api/v1/wallets', { name: 'bench', type: 'segwit', backup_type: 'none' });
  return { app, url: `${await app.listen()}/api/v1/wallets/${made.body.wallet_id}` };
}
const sides = Object.fromEntries(
  await Promise.all(Object.entries(SIDES).map(async ([name, env]) => [name, await side(env)])),
) as Record<Side, Awaited<ReturnType<typeof side>>>;

async function microsOf({ app, url }: (typeof sides)[Side]): Promise<number> {
  const before = process.threadCpuUsage();
  const headers = { authorization: `Bearer ${app.adminKey}` };
  const { non2xx, requests } = await autocannon({ url, connections: 16, duration: SECONDS, workers: 1, headers });
  const { user, system } = process.threadCpuUsage(before);
  if (non2xx > 0) throw new Error(`${non2xx} refused`);
  return (user + system) / requests.total;
}

const micros: Record<Side, number[]> = { off: [], 'sampled out': [], sent: [] };
for (let round = 0; round <= ROUNDS; round++) {
  for (const [name, one] of Object.entries(sides)) {
    const took = await microsOf(one);
    // The first round warms up.
    if (round > 0) micros[name as Side].push(took);
  }
}
for (const [name, all] of Object.entries(micros)) {
  const median = all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] as number;
  console.log(`${name.padEnd(12)} ${median.toFixed(1).padStart(6)} µs of computing a request`);
}
for (const { app } of Object.values(sides)) await app.close();
await collector.terminate();
