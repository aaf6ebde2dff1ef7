/**
 * One block event to 1,000 WebSocket subscribers: from the write that appends the event to the last client's receipt, against a bare
 * `ws` broadcast of the same bytes, in turns in one run. Clients live in a process of their own.
 *
 *   node test/bench/websocket-fan-out.ts [subscribers] [rounds]
 */
import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import Fastify, { type FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { WebSocket, WebSocketServer } from 'ws';
import { createFanOut } from '../../src/events/fan-out.ts';
import { createSequencer } from '../../src/events/sequencer.ts';
import { realtime } from '../../src/families/a-transactions/realtime/index.ts';
import { websocketServer } from '../../src/families/sockets/websocket-server.ts';
import { hookLayer } from '../../src/hooks/index.ts';
import { serverOptions } from '../../src/hooks/server-options.ts';
import { apiKeysOn } from '../builders/api-keys.ts';
import { accountRecord } from '../builders/store-records.ts';
import { openTemporarySqlite } from '../builders/stores.ts';

const log = pino({ level: 'silent' });
/** Wall time with fractions, comparable between the two processes. */
const now = (): number => performance.timeOrigin + performance.now();

async function clients(url: string, apiKey: string, count: number): Promise<void> {
  let heard = 0;
  const sockets: WebSocket[] = [];
  for (let i = 0; i < count; i++) {
    const socket = new WebSocket(url);
    await once(socket, 'open');
    if (apiKey !== '-') {
      socket.send(JSON.stringify({ type: 'auth', api_key: apiKey }));
      socket.send(JSON.stringify({ type: 'subscribe', channel: 'blocks' }));
      await new Promise<void>((resolve) => {
        socket.on('message', function subscribed(data) {
          if (!String(data).includes('"subscribed"')) return;
          socket.off('message', subscribed);
          resolve();
        });
      });
    }
    socket.on('message', () => {
      heard += 1;
      if (heard % count === 0) process.send!({ lastAt: now() });
    });
    sockets.push(socket);
  }
  process.send!({ ready: true });
}

async function startClients(url: string, apiKey: string, count: number) {
  const child = fork(fileURLToPath(import.meta.url), ['clients', url, apiKey, String(count)]);
  await once(child, 'message');
  return {
    async lastReceipt(): Promise<number> {
      const [message] = (await once(child, 'message')) as [{ lastAt: number }];
      return message.lastAt;
    },
    stop: () => child.kill(),
  };
}

const blockData = (height: number) => ({ height, hash: 'ab'.repeat(32), timestamp: 1_763_600_000 + height });

async function startService() {
  const { store, close } = await openTemporarySqlite();
  const apiKeys = apiKeysOn(store);
  const fanOut = createFanOut({ store, log });
  const sequencer = createSequencer({ store, clock: Date.now, log, onNumbered: fanOut.wake });
  const app = Fastify(serverOptions({ log, randomBytes, trustProxy: false }));
  await app.register(hookLayer, { apiKeys, metrics: null });
  await app.register(websocketServer, { fanOut, onCredentials: store.onCredentials, clock: Date.now });
  realtime(app as unknown as FastifyInstance, { apiKeys });
  await fanOut.start();
  sequencer.start();
  const accountId = `acc_${'A'.repeat(22)}` as const;
  await store.write((tx) => tx.accounts.insert(accountRecord(accountId, { name: 'bench' })));
  const { apiKey } = await apiKeys.create({
    accountId,
    name: 'bench',
    role: 'viewer',
    scopes: ['*'],
    tier: 'standard',
  });
  const origin = await app.listen({ host: '127.0.0.1', port: 0 });
  return {
    url: `${origin.replace('http', 'ws')}/v1/ws`,
    apiKey,
    async announce(height: number): Promise<void> {
      const ref = `hash ${height}`;
      await store.write((tx) => tx.events.append({ accountId: null, channel: 'blocks', ref, data: blockData(height) }));
    },
    async stop() {
      await app.close();
      await sequencer.stop();
      await fanOut.stop();
      await close();
    },
  };
}

async function startBareBroadcast() {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  const server = new WebSocketServer({ host: '127.0.0.1', port });
  await once(server, 'listening');
  return {
    url: `ws://127.0.0.1:${port}`,
    announce(height: number): void {
      const bytes = Buffer.from(
        `{"type":"block","channel":"blocks","seq":${height},"data":${JSON.stringify(blockData(height))}}`,
      );
      for (const socket of server.clients) socket.send(bytes, { binary: false });
    },
    stop() {
      for (const socket of server.clients) socket.terminate();
      server.close();
    },
  };
}

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1]!;

async function main(): Promise<void> {
  const count = Number(process.argv[2] ?? 1_000);
  const rounds = Number(process.argv[3] ?? 100);
  const service = await startService();
  const bare = await startBareBroadcast();
  const served = await startClients(service.url, service.apiKey, count);
  const broadcast = await startClients(bare.url, '-', count);
  const ours: number[] = [];
  const afterCommit: number[] = [];
  const theirs: number[] = [];
  for (let round = 1; round <= rounds + 10; round++) {
    const pause = () => new Promise((resolve) => setTimeout(resolve, 20));
    await pause();
    let last = broadcast.lastReceipt();
    let start = now();
    bare.announce(round);
    const bareMs = (await last) - start;
    await pause();
    last = served.lastReceipt();
    start = now();
    await service.announce(round);
    const committed = now();
    const lastAt = await last;
    // The first rounds warm both up.
    if (round <= 10) continue;
    theirs.push(bareMs);
    ours.push(lastAt - start);
    afterCommit.push(lastAt - committed);
  }
  const ms = (value: number) => `${value.toFixed(1)} ms`;
  console.log(`${count} subscribers, medians of ${rounds} rounds, to the last one's receipt`);
  console.log(`bare ws broadcast                           ${ms(median(theirs))}`);
  console.log(
    `/v1/ws, from before the event is written    ${ms(median(ours))}   ${(median(ours) / median(theirs)).toFixed(2)}x`,
  );
  console.log(
    `/v1/ws, from when the event is committed    ${ms(median(afterCommit))}   ${(median(afterCommit) / median(theirs)).toFixed(2)}x`,
  );
  served.stop();
  broadcast.stop();
  bare.stop();
  await service.stop();
}

if (process.argv[2] === 'clients') await clients(process.argv[3]!, process.argv[4]!, Number(process.argv[5]));
else await main();
