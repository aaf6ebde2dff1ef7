import type { Logger } from 'pino';
import { DomainError } from '../../core/errors.ts';
import type { Network } from '../../core/network.ts';
import { blockHash } from '../../core/outpoint.ts';
import type { InSpan } from '../../tracing/tracing.ts';
import type { ChainNotification, ChainSource } from '../chain-source.ts';
import { noAddressIndex } from '../no-address-index.ts';
import { createBlockFilterScan } from './block-filter-scan.ts';
import { createBlockReader } from './block-reader.ts';
import { createBroadcaster } from './broadcaster.ts';
import { createFeeRateTracker } from './fee-rate-tracker.ts';
import { readHeaderRecords } from './header-records.ts';
import {
  readBestBlockHash,
  readBlockFees,
  readBlockHashes,
  readChainInfo,
  readFeeEstimates,
  readMempoolInfo,
  readNodeStatus,
} from './node-info.ts';
import { readOutputStatus } from './output-status.ts';
import { createRpcClient, type RpcClient } from './rpc-client.ts';
import { asDomainError, resultOf } from './rpc-results.ts';
import { testMempoolAccept } from './test-mempool-accept.ts';
import { tracedRpc } from './traced-rpc.ts';
import { readTransactionDetails } from './transaction-details.ts';
import { createTransactionReader } from './transaction-reader.ts';
import { listenToZmq } from './zmq-notifications.ts';

export interface BitcoindSourceOptions {
  /** http(s)://[user:password@]host:port; userinfo is taken out before use and never logged. */
  rpcUrl: string;
  /** Read at first use and again when the node refuses it: a node writes a new one at every start. Ignored when rpcUrl has userinfo. */
  cookieFile?: string;
  /** Where the node publishes hashblock and rawtx; none: polling only. */
  zmqUrls?: readonly string[];
  /** The configured network. A node on another one is seen in `info()`; here it only decides whether mining is allowed. */
  network: Network;
  log: Pick<Logger, 'info' | 'warn'>;
  /** Absent: requests to the node are in no trace. */
  inSpan?: InSpan | undefined;
}

const MINING_TIMEOUT_MS = 60_000;
const MINING_CHUNK = 100;

/** Bitcoin Core (or a derivative) as the chain source, over JSON-RPC, with ZMQ where given. Connects at the first call. */
export function createBitcoindSource(options: BitcoindSourceOptions): ChainSource {
  const { network, log } = options;
  const client = createRpcClient({
    url: options.rpcUrl,
    ...(options.cookieFile !== undefined && { cookieFile: options.cookieFile }),
  });
  const rpc = options.inSpan === undefined ? client : tracedRpc(client, options.inSpan);
  const listeners = new Set<(notification: ChainNotification) => void>();
  const endZmq = listenToZmq(
    options.zmqUrls ?? [],
    (notification) => {
      for (const listener of [...listeners]) listener(notification);
    },
    log,
  );
  const scan = createBlockFilterScan(rpc);

  return {
    kind: 'bitcoind',
    info: () => readChainInfo(rpc),
    node: () => readNodeStatus(rpc),
    bestBlockHash: () => readBestBlockHash(rpc),
    blockFees: (hash) => readBlockFees(rpc, hash),
    blockHashAt: async (height) => (await readBlockHashes(rpc, [height]))[0] ?? null,
    blockHashesAt: (heights) => readBlockHashes(rpc, heights),
    ...createBlockReader(rpc),
    headerRecords: (hashes) => readHeaderRecords(rpc, hashes),
    mempoolInfo: () => readMempoolInfo(rpc),
    feeRateDistribution: createFeeRateTracker(rpc),
    ...createTransactionReader(rpc),
    transactionDetails: (txid, block) => readTransactionDetails(rpc, txid, block),
    outputStatus: (outpoint) => readOutputStatus(rpc, outpoint),
    ...createBroadcaster(rpc),
    testTogether: (raws) => testMempoolAccept(rpc, raws),
    estimateFees: (targets) => readFeeEstimates(rpc, targets),
    ...noAddressIndex,
    matchingBlocks: scan,
    async mine(count, scriptPubKey) {
      if (network !== 'regtest') throw new DomainError('forbidden', `blocks cannot be mined at will on ${network}`);
      return mine(rpc, count, scriptPubKey);
    },
    onNotification(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async close() {
      endZmq();
      listeners.clear();
      await rpc.close();
    },
  };
}

async function mine(rpc: RpcClient, count: number, scriptPubKey: string) {
  if (count < 1) return [];
  const mined: string[] = [];
  try {
    while (mined.length < count) {
      const blocks = Math.min(MINING_CHUNK, count - mined.length);
      const params = [blocks, `raw(${scriptPubKey})`];
      mined.push(...(await rpc.call<string[]>('generatetodescriptor', params, { timeoutMs: MINING_TIMEOUT_MS })));
    }
  } catch (error) {
    throw asDomainError(error);
  }
  const [headers] = await rpc.batch([
    { method: 'getblockheader', params: [mined[0], true] },
    // Writes the chain to disk, which a node does about once an hour: a regtest chain has no peers to fetch lost blocks from.
    { method: 'gettxoutsetinfo', params: ['none'] },
  ]);
  const first = resultOf<{ height: number }>(headers).height;
  return mined.map((hash, position) => ({ height: first + position, hash: blockHash(hash) }));
}
