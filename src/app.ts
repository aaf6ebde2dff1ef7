/** The composition root: the one place that knows every adapter. Opens what the service stands on, wires it, and closes it again. */
import { randomBytes as secureRandomBytes } from 'node:crypto';
import Fastify, { type FastifyInstance, type FastifyPluginAsync } from 'fastify';
import type { Logger } from 'pino';
import type { AppContext } from './app/app-context.ts';
import { createBackground } from './app/background.ts';
import { bindChain, boundKind, ChainRefused } from './app/chain-binding.ts';
import { watchDisk } from './app/disk-space.ts';
import { watchEventLoop } from './app/event-loop.ts';
import { createLog } from './app/log.ts';
import { createMetrics, type Metrics } from './app/metrics/metrics.ts';
import { serviceSeries } from './app/metrics/service-series.ts';
import { openChain } from './app/open-chain.ts';
import { openComputing } from './app/open-computing.ts';
import { openCounters } from './app/open-counters.ts';
import { openServices, type Services } from './app/open-services.ts';
import { openTracing } from './app/open-tracing.ts';
import { followPort } from './app/public-origins.ts';
import { tracedComputing, tracedStore } from './app/traced.ts';
import type { ChainSource } from './chain/chain-source.ts';
import type { Config } from './config.ts';
import type { Backend } from './core/inference/backend.ts';
import type { CounterStore } from './counters/counter-store.ts';
import type { ClosableComputing } from './engines/computing/all-jobs.ts';
import { transactions } from './families/a-transactions/index.ts';
import { categories } from './families/b-categories/index.ts';
import { platform } from './families/c-platform/index.ts';
import { resources } from './families/d-resources/index.ts';
import { psbts } from './families/e-psbt/index.ts';
import { ai } from './families/f-ai/index.ts';
import { governance } from './families/g-governance/index.ts';
import { oauth } from './families/oauth/index.ts';
import { describedCalls } from './families/service/documentation/described-calls.ts';
import { service } from './families/service/index.ts';
import { websocketServer } from './families/sockets/websocket-server.ts';
import { declarations } from './hooks/family.ts';
import { hookLayer, REQUEST_TIME_OUT_MS } from './hooks/index.ts';
import type { Pressure } from './hooks/limits/load-shedding.ts';
import type { AnyOperation } from './hooks/operation.ts';
import { serverOptions } from './hooks/server-options.ts';
import { sharedAnswer } from './services/blockchain/shared-answer.ts';
import { makeFolder } from './store/make-folder.ts';
import { openStore } from './store/open-store.ts';
import type { Store } from './store/store.ts';

const CLOSE_IDLE_EVERY_MS = 50;

/** In this order: the last two describe those before them. */
const FAMILIES: readonly FastifyPluginAsync<Services>[] = [
  transactions,
  categories,
  platform,
  resources,
  psbts,
  ai,
  governance,
  oauth,
  service,
];

/** What a test or a bench puts in the place of the real thing. A given store or chain is not closed with the app. */
export interface AppOverrides {
  store?: Store;
  chain?: ChainSource;
  clock?: () => number;
  randomBytes?: (size: number) => Uint8Array;
  counters?: CounterStore;
  pressure?: Pressure;
  /** What answers for models. */
  backends?: readonly Backend[];
  /** How long a request may be worked on. */
  timeOutMs?: number;
  /** How often approvals are looked for by themselves. */
  approvalsEveryMs?: number;
  log?: Logger;
  /** Closed with the app. */
  computing?: ClosableComputing;
  /** Gives up opening (a node that is being fetched). */
  signal?: AbortSignal;
  /** The service can't go on: the chain turned out to be another one. */
  onFatal?: (error: Error) => void;
}

export interface App {
  readonly http: FastifyInstance;
  readonly store: Store;
  readonly chain: ChainSource;
  readonly services: Services;
  readonly operations: readonly AnyOperation[];
  /** Listens at HOST and PORT; answers the address. */
  listen(): Promise<string>;
  /** From now on not ready; everything is still answered. */
  drain(): void;
  /** Not ready first, then no more requests, then what runs behind them, the database last. */
  close(): Promise<void>;
}

/** Throws an Error that says what to do where the configuration, the database or the chain does not fit. */
export async function buildApp(config: Config, overrides: AppOverrides = {}): Promise<App> {
  const disposables = new AsyncDisposableStack();
  try {
    return await compose(config, overrides, disposables);
  } catch (error) {
    await disposables.disposeAsync();
    throw error;
  }
}

async function compose(config: Config, overrides: AppOverrides, disposables: AsyncDisposableStack): Promise<App> {
  const { clock = Date.now, randomBytes = secureRandomBytes, log = createLog(config.logLevel) } = overrides;
  const tracing = await openTracing({ config, log, clock, randomBytes, disposables });
  const own = { config, log, clock, randomBytes, disposables, tracing };
  const metrics = createMetrics();
  disposables.defer(() => metrics.close());
  const context: AppContext = { ...own, metrics, background: createBackground(own) };
  makeFolder(config.dataDir);
  const disk = await watchDisk(config.dataDir, context);
  disposables.defer(() => disk.stop());
  const bare = overrides.store ?? (await openOwnStore(context));
  const store = tracing === null ? bare : tracedStore(bare, tracing.inSpan);
  const chain = await openBoundChain(context, store, overrides);
  const counters = overrides.counters ?? (await openCounters(context, store));
  const workers = overrides.computing ?? openComputing({ network: config.network, randomBytes });
  const computing = tracing === null ? workers : tracedComputing(workers, tracing.inSpan);
  const services = await openServices(context, store, chain, counters, computing, disk, overrides);
  context.metrics.add(
    serviceSeries({
      ...{ clock, version: services.version },
      queueDepth: () => store.queueDepth(),
      leads: () => store.leads(),
      pool: () => store.pool(),
      backlog: sharedAnswer(() => store.read.metrics.backlog(), clock),
      watchedScripts: sharedAnswer(() => store.read.metrics.watchedScripts(), clock),
      readiness: sharedAnswer(() => services.readiness.check(), clock),
      disk: sharedAnswer(() => disk.look(), clock),
      computing: () => computing.load(),
      workers: context.background.counts,
      follower: services.blockchain.follower,
    }),
  );
  const { pressure = openPressure(context, store), timeOutMs = REQUEST_TIME_OUT_MS } = overrides;
  const http = await openServer(context, { services, metrics, counters, pressure, computing, timeOutMs });
  services.held.declare(http.declared.operations, services.approvedRecords);
  services.guide.declare(() => describedCalls(http.declared.operations));
  return {
    http,
    store,
    chain,
    services,
    operations: http.declared.operations,
    async listen() {
      if (config.metricsPort !== null) await metrics.listen(config.host, config.metricsPort);
      return http.listen({ host: config.host, port: config.port });
    },
    drain: () => services.readiness.stop(),
    close: () => disposables.disposeAsync(),
  };
}

async function openOwnStore({ config, log, clock, disposables }: AppContext): Promise<Store> {
  const { databaseUrl, databasePasswordFile, dataDir } = config;
  const store = await openStore({ databaseUrl, databasePasswordFile, dataDir, log, clock });
  disposables.defer(() => store.close());
  return store;
}

/** Refuses a chain that is not this database's. A source that is away is waited for while the service runs, not ready. */
async function openBoundChain(context: AppContext, store: Store, overrides: AppOverrides): Promise<ChainSource> {
  const { config, log, clock, randomBytes, disposables, tracing } = context;
  const { chain: given, signal = new AbortController().signal, onFatal = () => {} } = overrides;
  const found =
    given === undefined
      ? await openChain(config, {
          log,
          clock,
          randomBytes,
          bound: await boundKind(store),
          signal,
          inSpan: tracing?.inSpan,
        })
      : { source: given, host: undefined, close: async () => {} };
  disposables.defer(() => found.close());
  const { host } = found;
  const chain = bindChain(found.source, { store, network: config.network, onRefused: onFatal, log, clock, host });
  await chain.check().catch((error: unknown) => {
    // One that is away was told of, and is asked again.
    if (error instanceof ChainRefused) throw error;
  });
  return chain;
}

function openPressure({ config, disposables }: AppContext, store: Store): Pressure {
  const loop = watchEventLoop();
  disposables.defer(() => loop.stop());
  return {
    eventLoopDelayMs: loop.delayMs,
    queueDepth: () => store.queueDepth(),
    most: { eventLoopDelayMs: config.maxEventLoopDelayMs, queueDepth: config.maxWriterQueue },
  };
}

interface ServerParts {
  services: Services;
  metrics: Metrics;
  counters: CounterStore;
  pressure: Pressure;
  computing: ClosableComputing;
  timeOutMs: number;
}

async function openServer(context: AppContext, parts: ServerParts): Promise<FastifyInstance> {
  const { config, log, clock, randomBytes, disposables, tracing } = context;
  const { services, metrics, counters, pressure, computing, timeOutMs } = parts;
  const http = Fastify(
    serverOptions({ log, randomBytes, trustProxy: config.trustProxy }),
  ) as unknown as FastifyInstance;
  disposables.defer(async () => {
    services.readiness.stop();
    // Fastify closes what is idle once, at the start. What was being answered then goes idle later and would keep the server open.
    const goneIdle = setInterval(() => http.server.closeIdleConnections(), CLOSE_IDLE_EVERY_MS);
    await Promise.all([http.close(), computing.close()]).finally(() => clearInterval(goneIdle));
  });
  const { apiKeys, tokens } = services;
  const { corsOrigins } = config;
  const signatures = { ...services.signatures, originOf: followPort(config.publicOrigins, http.server) };
  const { recordRefusal } = services.audit;
  await http.register(hookLayer, {
    ...{ apiKeys, tokens, signatures, recordRefusal, metrics, counters },
    ...{ usage: services.usage, clock, corsOrigins, pressure, timeOutMs, tracing },
  });
  await http.register(websocketServer, { ...services.sockets, originOf: signatures.originOf });
  await http.register(declarations, {
    idempotency: services.idempotency,
    fingerprints: services.signatures.fingerprints,
    recordSeparately: services.recordSeparately,
    recordRefusal,
    heldChanges: services.heldChanges,
    computing,
  });
  for (const family of FAMILIES) await http.register(family, services);
  await http.ready();
  return http;
}
