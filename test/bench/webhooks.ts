/**
 * Webhooks: an event committed to its webhook received on loopback, at so many events a second; 1,000 endpoints of as many accounts with and
 * without one that hangs; blocks that wake 1,000 webhooks. The endpoints are a process of their own.
 *
 *   node test/bench/webhooks.ts [events per second] [seconds]
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createSending } from '../../src/engines/sending/create-sending.ts';
import { createWebhooks } from '../../src/services/webhooks/index.ts';
import type { NewEvent } from '../../src/store/repositories/events.ts';
import type { Store } from '../../src/store/store.ts';
import { accountRecord, apiKeyRecord, webhookRecord } from '../builders/store-records.ts';
import { openTemporarySqlite, silent } from '../builders/stores.ts';
import { measured } from '../builders/worst/thread-cpu.ts';

const PER_SECOND = Number(process.argv[2] ?? 500);
const TICK_MS = 20;
const ACCOUNTS = 1_000;
const BLOCKS = 5;

/** Comparable between the two processes. */
const now = (): number => performance.timeOrigin + performance.now();

/** Answers at once, or never below /hangs; tells when each event arrived. */
async function endpoints(): Promise<void> {
  const server = createServer((request, response) => {
    if (request.url === '/hangs') return;
    const at = now();
    let text = '';
    request.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
    request.on('end', () => {
      response.end('ok');
      const { data } = JSON.parse(text) as { data: { target?: string; hash?: string } };
      process.send!([data.target ?? data.hash, at]);
    });
  });
  server.listen(0, '127.0.0.1', () => process.send!({ address: server.address() }));
}

async function startEndpoints() {
  const child = fork(fileURLToPath(import.meta.url), ['endpoints']);
  const [{ address }] = (await once(child, 'message')) as [{ address: { port: number } }];
  let heard: (mark: string, at: number) => void = () => {};
  child.on('message', (message) => heard(...(message as [string, number])));
  return {
    urlOf: (path: string) => `http://127.0.0.1:${address.port}/${path}`,
    hear: (listener: typeof heard) => {
      heard = listener;
    },
    stop: () => child.kill(),
  };
}
type Endpoints = Awaited<ReturnType<typeof startEndpoints>>;

const createParts = (store: Store) =>
  createWebhooks({
    ...{ store, clock: Date.now, log: silent, network: 'regtest', records: {} },
    sending: createSending({ allowedNetworks: ['127.0.0.0/8'] }),
    secretsKey: Buffer.alloc(32, 1),
    signingKey: Buffer.alloc(32, 2),
    randomBytes: (size) => Buffer.alloc(size, 7),
  });

/** A webhook for each account. */
async function startService(accounts: number, events: string[], urlOf: (account: number) => string) {
  const { store, close } = await openTemporarySqlite();
  const webhooks = createParts(store);
  await store.write(async (tx) => {
    for (let at = 0; at < accounts; at++) {
      const [accountId, keyId, webhookId] = [`acc_${at}`, `key_${at}`, `whk_${at}`] as const;
      await tx.accounts.insert(accountRecord(accountId));
      const prefix = String(at).padStart(8, 'x');
      await tx.apiKeys.insert(apiKeyRecord({ accountId, keyId, prefix, role: 'admin', scopes: ['*'] }));
      const { secrets } = webhooks.keys.newSecret(webhookId, { makerKind: 'api_key', makerId: keyId });
      const readsBlocks = events.includes('block.connected');
      const made = { accountId, url: urlOf(at), events, secrets, makerId: keyId, readsBlocks };
      await tx.webhooks.insert(webhookRecord(webhookId, made));
    }
  });
  webhooks.worker.start();
  return {
    store,
    async stop() {
      await webhooks.worker.stop();
      await close();
    },
  };
}

const happened = (account: number, target: string): NewEvent => {
  const credential = { kind: 'api_key', id: `key_${account}` } as const;
  const data = { notice: 'key_created', operation: 'api-key.create', target, credential };
  return { accountId: `acc_${account}`, channel: 'security', ref: target, data };
};

/** Milliseconds from the commit of each event to its arrival, but for those of the account that hangs. */
async function latencies(endpoints: Endpoints, accounts: number, seconds: number, hanging: number | null) {
  const service = await startService(accounts, ['security.*'], (at) =>
    endpoints.urlOf(at === hanging ? 'hangs' : 'ok'),
  );
  const committed = new Map<string, number>();
  const arrived = new Map<string, number>();
  endpoints.hear((mark, at) => arrived.set(mark, at));
  const cpu = process.cpuUsage();
  const perTick = Math.max(1, Math.round((PER_SECOND * TICK_MS) / 1_000));
  const ticks = (seconds * 1_000) / TICK_MS;
  const startedAt = now();
  const writes: Promise<unknown>[] = [];
  for (let tick = 0, next = 0; tick < ticks; tick++) {
    const events = Array.from({ length: perTick }, () => happened(next % accounts, `e${next++}`));
    const written = service.store.write((tx) => tx.events.appendMany(events));
    writes.push(written.then(() => events.forEach(({ ref }) => void committed.set(ref, now()))));
    await sleep(Math.max(0, startedAt + (tick + 1) * TICK_MS - now()));
  }
  await Promise.all(writes);
  const expected = [...committed.keys()].filter((_, at) => at % accounts !== hanging);
  const deadline = now() + 60_000;
  while (arrived.size < expected.length && now() < deadline) await sleep(20);
  const { user, system } = process.cpuUsage(cpu);
  await service.stop();
  if (arrived.size < expected.length) throw new Error(`${expected.length - arrived.size} events did not arrive`);
  // The first second warms up.
  const latencies = expected.slice(PER_SECOND).map((mark) => arrived.get(mark)! - committed.get(mark)!);
  return { sorted: latencies.sort((a, b) => a - b), cpuMs: (user + system) / 1000 / expected.length };
}

/** The longest turn of the event loop, in CPU time, while blocks wake all webhooks. */
async function blocks(endpoints: Endpoints): Promise<number[]> {
  const service = await startService(ACCOUNTS, ['block.connected'], () => endpoints.urlOf('ok'));
  const longest: number[] = [];
  for (let height = 0; height < BLOCKS; height++) {
    let count = 0;
    const all = new Promise<void>((resolve) => endpoints.hear(() => ++count === ACCOUNTS && resolve()));
    const data = { height, hash: `block ${height}`, timestamp: 0 };
    const { longestMs } = await measured(async () => {
      await service.store.write((tx) => tx.events.append({ accountId: null, channel: 'blocks', ref: data.hash, data }));
      await all;
    });
    longest.push(longestMs);
  }
  await service.stop();
  return longest.sort((a, b) => a - b);
}

const at = (sorted: readonly number[], part: number): number => sorted[Math.floor(sorted.length * part)]!;
const ms = (value: number): string => `${value.toFixed(1)} ms`;

async function main(): Promise<void> {
  const seconds = Number(process.argv[3] ?? 6);
  const endpoints = await startEndpoints();
  const report = (what: string, { sorted, cpuMs }: Awaited<ReturnType<typeof latencies>>) =>
    console.log(
      `${what.padEnd(44)} p50 ${ms(at(sorted, 0.5))}, p99 ${ms(at(sorted, 0.99))}; CPU ${cpuMs.toFixed(2)} ms per event`,
    );
  console.log(`committed to received at ${PER_SECOND} events a second, SQLite`);
  report('20 webhooks', await latencies(endpoints, 20, seconds, null));
  const ratios: number[] = [];
  for (let round = 0; round < 3; round++) {
    const without = await latencies(endpoints, ACCOUNTS, seconds, null);
    const beside = await latencies(endpoints, ACCOUNTS, seconds, 500);
    report('1,000 webhooks of as many accounts', without);
    report('the others beside one that hangs', beside);
    ratios.push(at(beside.sorted, 0.99) / at(without.sorted, 0.99));
  }
  console.log(`p99 beside one that hangs, in turns: ${ratios.map((one) => `${one.toFixed(2)}x`).join(', ')}`);
  const longest = await blocks(endpoints);
  console.log(
    `${BLOCKS} blocks to 1,000 webhooks, longest turn by CPU time: median ${ms(at(longest, 0.5))}, most ${ms(longest.at(-1)!)}`,
  );
  endpoints.stop();
}

if (process.argv[2] === 'endpoints') await endpoints();
else await main();
