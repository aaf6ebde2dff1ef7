/** Which chain source it is to be, and its opening: the configured one, or on regtest whatever is there. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { createBitcoindSource } from '../chain/bitcoind/create-bitcoind-source.ts';
import type { ChainSource } from '../chain/chain-source.ts';
import { createEsploraSource } from '../chain/esplora/create-esplora-source.ts';
import { findBitcoind } from '../chain/node-finder/find-bitcoind.ts';
import { progressBar } from '../chain/node-finder/progress.ts';
import { startRegtestNode } from '../chain/node-finder/regtest-node.ts';
import { createSimulatedChain } from '../chain/simulated/simulated-chain.ts';
import type { Config } from '../config.ts';
import { createWorker } from '../scheduling/worker.ts';
import type { InSpan } from '../tracing/tracing.ts';
import { ChainRefused } from './chain-binding.ts';

export interface OpenedChain {
  source: ChainSource;
  /** Where it is asked, host:port; undefined: in this process. */
  host: string | undefined;
  /** Ends the node that was started for it, too. */
  close(): Promise<void>;
}

interface OpenChainDeps {
  log: Logger;
  clock: () => number;
  randomBytes: (size: number) => Uint8Array;
  /** What the database was bound to at its first use. */
  bound: ChainSource['kind'] | null;
  signal: AbortSignal;
  /** undefined: tracing is off. */
  inSpan: InSpan | undefined;
}

const RESTART_MS = 500;
const LONGEST_RESTART_MS = 15_000;
const LOOK_EVERY_MS = 3_600_000;

export async function openChain(config: Config, deps: OpenChainDeps): Promise<OpenedChain> {
  const kind = config.chain === 'auto' ? configuredKind(config) : config.chain;
  if (kind === 'bitcoind') return alone(openBitcoind(config, deps), config.bitcoinRpc?.url);
  if (kind === 'esplora') return alone(openEsplora(config, deps), config.esploraUrl ?? undefined);
  if (kind === 'simulated') return alone(await openSimulated(config, deps));
  return openWhateverIsThere(config, deps);
}

const alone = (source: ChainSource, url?: string): OpenedChain => ({
  source,
  host: url === undefined ? undefined : new URL(url).host,
  close: () => source.close(),
});

function configuredKind(config: Config): 'bitcoind' | 'esplora' | null {
  if (config.bitcoinRpc !== null) return 'bitcoind';
  return config.esploraUrl !== null ? 'esplora' : null;
}

function openBitcoind(config: Config, { log, inSpan }: OpenChainDeps): ChainSource {
  const rpc = config.bitcoinRpc;
  if (rpc === null) throw new Error('BITCOIN_RPC_URL is missing');
  const rpcUrl = rpc.userinfo === null ? rpc.url : rpc.url.replace('//', `//${rpc.userinfo}@`);
  return createBitcoindSource({
    rpcUrl,
    ...(rpc.cookieFile !== null && { cookieFile: rpc.cookieFile }),
    zmqUrls: config.zmqUrls,
    network: config.network,
    log,
    inSpan,
  });
}

function openEsplora({ esploraUrl, network }: Config, { log, inSpan }: OpenChainDeps): ChainSource {
  if (esploraUrl === null) throw new Error('ESPLORA_URL is missing');
  return createEsploraSource({ url: esploraUrl, network, log, inSpan });
}

/** The second source; null: none is configured. */
export function openWitness(
  { chainWitness, network }: Config,
  { log }: Pick<OpenChainDeps, 'log'>,
): ChainSource | null {
  if (chainWitness === null) return null;
  const { kind, url } = chainWitness;
  return kind === 'bitcoind'
    ? createBitcoindSource({ rpcUrl: url, network, log })
    : createEsploraSource({ url, network, log });
}

async function openSimulated(config: Config, deps: OpenChainDeps): Promise<ChainSource> {
  const { log, clock, randomBytes } = deps;
  log.warn(
    'THE CHAIN IS SIMULATED: nothing here is real bitcoin and no Bitcoin node checks it. Set BITCOIN_RPC_URL for one',
  );
  return createSimulatedChain({ dataDir: join(config.dataDir, 'simulated'), clock, randomBytes, log });
}

/** CHAIN=auto on regtest without a URL: a node of our own where one can be had, else the simulated chain, said loudly. */
async function openWhateverIsThere(config: Config, deps: OpenChainDeps): Promise<OpenedChain> {
  const { log, bound, signal } = deps;
  if (config.databaseUrl !== null) {
    log.warn(
      'several processes may share this database, but not a chain of their own: give all of them one BITCOIN_RPC_URL',
    );
  }
  if (bound === 'simulated') return alone(await openSimulated(config, deps));
  const found = await findBitcoind({
    env: config.finderEnvironment,
    onProgress: progressBar(process.stderr),
    signal,
  });
  if (found.binary !== null) {
    log.info({ version: found.version, from: found.from }, 'running a regtest node of its own');
    return openManagedNode(found.binary, config, deps);
  }
  if (bound !== null) {
    throw new ChainRefused(
      `this database was first used with the chain source ${bound}, and none can be had now (${found.reason}): ` +
        'set BITCOIN_RPC_URL, or use another DATA_DIR for the simulated chain',
    );
  }
  log.warn({ reason: found.reason }, 'no Bitcoin node can be had');
  return alone(await openSimulated(config, deps));
}

async function openManagedNode(binary: string, config: Config, deps: OpenChainDeps): Promise<OpenedChain> {
  const { log, clock, inSpan } = deps;
  const dataDir = join(config.dataDir, 'node');
  await mkdir(dataDir, { recursive: true });
  const node = await startRegtestNode({ binary, dataDir, log });
  const source = createBitcoindSource({
    rpcUrl: node.rpcUrl,
    cookieFile: node.cookieFile,
    zmqUrls: node.zmqUrls,
    network: config.network,
    log,
    inSpan,
  });
  let ended = false;
  const restarts = createWorker({
    ...{ name: 'node', log, clock, intervalMs: LOOK_EVERY_MS, longestRetryMs: LONGEST_RESTART_MS },
    failed: 'the regtest node could not be started again; trying again',
    recovered: 'the regtest node could be started again',
    wokenBy: (wake) =>
      node.onExit(() => {
        ended = true;
        wake(RESTART_MS);
      }),
    async round() {
      if (!ended) return;
      ended = false;
      await node.restart().catch((error: unknown) => {
        ended = true;
        throw error;
      });
      log.info({}, 'the regtest node runs again');
    },
  });
  restarts.start();
  return {
    source,
    host: new URL(node.rpcUrl).host,
    async close() {
      await restarts.stop();
      await source.close();
      await node.stop();
    },
  };
}
