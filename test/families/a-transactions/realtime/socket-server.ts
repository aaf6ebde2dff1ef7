import { randomBytes } from 'node:crypto';
import Fastify, { type FastifyInstance } from 'fastify';
import { onTestFinished } from 'vitest';
import { type ClientOptions, WebSocket } from 'ws';
import { type AccountId, newId } from '../../../../src/core/ids.ts';
import { createFanOut } from '../../../../src/events/fan-out.ts';
import { createSequencer } from '../../../../src/events/sequencer.ts';
import { type RealtimeDeps, realtime } from '../../../../src/families/a-transactions/realtime/index.ts';
import { addGovernanceSocket, type GovernanceSocketDeps } from '../../../../src/families/g-governance/socket/index.ts';
import type { SocketsDeps } from '../../../../src/families/sockets/sockets.ts';
import { websocketServer } from '../../../../src/families/sockets/websocket-server.ts';
import { hookLayer } from '../../../../src/hooks/index.ts';
import type { RouteDeclaration } from '../../../../src/hooks/register-operations.ts';
import { serverOptions } from '../../../../src/hooks/server-options.ts';
import type { NewEvent } from '../../../../src/store/records.ts';
import type { Store } from '../../../../src/store/store.ts';
import { apiKeysOn } from '../../../builders/api-keys.ts';
import { accountRecord } from '../../../builders/store-records.ts';
import { openTemporarySqlite } from '../../../builders/stores.ts';
import { collectedLog } from '../../../secrets/collected.ts';

const log = collectedLog();
/** Far beyond what an answer takes, also on a busy machine. */
const PATIENCE_MS = 60_000;

export type Message = Record<string, unknown> & { type: string };

export interface ServerOptions extends Partial<RealtimeDeps & SocketsDeps & GovernanceSocketDeps> {
  readonly heartbeatMs?: number;
  /** Closed by whoever gives it. */
  readonly store?: Store;
  /** GET /stuck is answered by nothing but this limit. */
  readonly requestTimeoutMs?: number;
}

const STUCK: RouteDeclaration = {
  ...{ id: 'stuck.get', family: 'a', effect: 'read', access: 'public', limitClass: 'none', idempotent: false },
};

/** Nobody signs here. */
const NO_SIGNATURES = {} as GovernanceSocketDeps['signatures'];

/** The WebSocket door on a real port, with the real hooks, keys, sequencer, fan-out and store behind it. */
export async function startSocketServer(options: ServerOptions = {}) {
  const { clock = Date.now, requestTimeoutMs } = options;
  const { store, close } = options.store
    ? { store: options.store, close: async () => {} }
    : await openTemporarySqlite();
  const apiKeys = apiKeysOn(store, { clock });
  const fanOut = createFanOut({ store, log });
  const sequencer = createSequencer({ store, clock: Date.now, log, onNumbered: fanOut.wake });
  const app = Fastify(serverOptions({ log, randomBytes, trustProxy: false }));
  await app.register(hookLayer, {
    ...{ apiKeys, metrics: null },
    ...(requestTimeoutMs === undefined ? {} : { timeOutMs: requestTimeoutMs }),
  });
  app.get('/stuck', { config: { declaration: STUCK } }, () => new Promise(() => {}));
  await app.register(websocketServer, { fanOut, onCredentials: store.onCredentials, clock, ...options });
  realtime(app as unknown as FastifyInstance, { apiKeys, ...options });
  addGovernanceSocket(app as unknown as FastifyInstance, { apiKeys, signatures: NO_SIGNATURES, ...options });
  await fanOut.start();
  sequencer.start();
  const origin = await app.listen({ host: '127.0.0.1', port: 0 });
  const url = `${origin.replace('http', 'ws')}/v1/ws`;
  let stopped = false;
  async function stop() {
    if (stopped) return;
    stopped = true;
    await app.close();
    await sequencer.stop();
    await fanOut.stop();
    await close();
  }
  onTestFinished(stop);

  return {
    app,
    store,
    apiKeys,
    fanOut,
    origin,
    url,
    stop,
    async newKey(more: { accountId?: AccountId; scopes?: string[]; expiresAt?: number } = {}) {
      const { scopes = ['*'], expiresAt = null } = more;
      const accountId = more.accountId ?? newId('acc', randomBytes);
      if (!more.accountId) {
        await store.write((tx) => tx.accounts.insert(accountRecord(accountId)));
      }
      const key = { accountId, name: 'test', role: 'viewer', scopes, tier: 'standard', expiresAt } as const;
      const { apiKey, record } = await apiKeys.create({ ...key, scopes: [...scopes] });
      return { accountId, apiKey, keyId: record.keyId };
    },
    append: (...events: NewEvent[]) => store.write((tx) => tx.events.appendMany(events)),
    /** Until all that was appended is numbered and delivered to this process. */
    async delivered(seq: bigint) {
      const deadline = performance.now() + PATIENCE_MS;
      while (fanOut.position() < seq) {
        if (performance.now() > deadline) throw new Error(`only ${fanOut.position()} delivered, not ${seq}`);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    },
    connect: () => openClient(url),
    async authenticated(apiKey: string) {
      const client = await openClient(url);
      client.say({ type: 'auth', api_key: apiKey });
      await client.next('authenticated');
      return client;
    },
  };
}

export const blockEvent = (height: number): NewEvent => ({
  accountId: null,
  channel: 'blocks',
  ref: `hash ${height}`,
  data: { height, hash: `hash ${height}`, timestamp: 1_700_000_000 + height },
});

export const transactionEvent = (accountId: AccountId, n: number, pad = ''): NewEvent => ({
  accountId,
  channel: 'transactions',
  ref: `tx ${n}`,
  data: { txid: `tx ${n}`, status: 'broadcast', block_height: null, ...(pad ? { pad } : {}) },
});

/** A client that keeps what it was told, in order. */
export async function openClient(url: string, options: ClientOptions = {}) {
  const socket = new WebSocket(url, options);
  const messages: Message[] = [];
  let wake: () => void = () => {};
  let closedWith: { code: number; reason: string } | null = null;
  socket.on('message', (data) => {
    messages.push(JSON.parse(String(data)));
    wake();
  });
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.on('close', (code, reason) => {
      closedWith = { code, reason: String(reason) };
      wake();
      resolve(closedWith);
    });
  });
  socket.on('error', () => {});
  await new Promise((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  onTestFinished(() => socket.terminate());

  async function next(type?: string): Promise<Message> {
    const deadline = performance.now() + PATIENCE_MS;
    while (messages.length === 0) {
      if (closedWith) throw new Error(`closed with ${closedWith.code} ${closedWith.reason}, waiting for ${type}`);
      const left = deadline - performance.now();
      if (left <= 0) throw new Error(`no message, waiting for ${type}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    const message = messages.shift()!;
    if (type && message.type !== type) throw new Error(`${JSON.stringify(message)}, waiting for ${type}`);
    return message;
  }

  return {
    socket,
    closed,
    messages,
    next,
    async take(count: number): Promise<Message[]> {
      const taken: Message[] = [];
      while (taken.length < count) taken.push(await next());
      return taken;
    },
    say: (message: unknown) => socket.send(JSON.stringify(message)),
    /** Nothing more has come by the time a ping is answered. */
    async quiet(): Promise<Message[]> {
      socket.send('{"type":"ping"}');
      const heard: Message[] = [];
      for (;;) {
        const message = await next();
        if (message.type === 'pong') return heard;
        heard.push(message);
      }
    },
  };
}
