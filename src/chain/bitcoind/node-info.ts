import { DomainError } from '../../core/errors.ts';
import type { FeeRate } from '../../core/fee-rate.ts';
import type { Network } from '../../core/network.ts';
import { type BlockHash, blockHash } from '../../core/outpoint.ts';
import type { ChainInfo, FeeEstimates, MempoolInfo, NodeStatus } from '../chain-source.ts';
import { satsFromBtc } from '../exact-json.ts';
import type { RpcClient } from './rpc-client.ts';
import { RPC } from './rpc-error.ts';
import { asDomainError, resultOf, resultOrNull } from './rpc-results.ts';

const NETWORK_OF_CHAIN: Record<string, Network> = {
  main: 'mainnet',
  testnet4: 'testnet4',
  signet: 'signet',
  regtest: 'regtest',
};

/** submitpackage takes maxfeerate and relays packages from Bitcoin Core 28 on. */
const FIRST_VERSION_WITH_PACKAGES = 280_000;

interface BlockchainInfo {
  chain: string;
  blocks: number;
  headers: number;
  bestblockhash: string;
  initialblockdownload: boolean;
  pruneheight?: number;
}
type IndexInfo = Record<string, { synced: boolean; best_block_height: number }>;

export async function readChainInfo(rpc: RpcClient): Promise<ChainInfo> {
  const [chainInfo, genesis, indexes, network] = await rpc.batch([
    { method: 'getblockchaininfo' },
    { method: 'getblockhash', params: [0] },
    { method: 'getindexinfo' },
    { method: 'getnetworkinfo' },
  ]);
  const chain = resultOf<BlockchainInfo>(chainInfo);
  const index = resultOf<IndexInfo>(indexes);
  const name = NETWORK_OF_CHAIN[chain.chain];
  if (!name) {
    throw new DomainError('unavailable', `the Bitcoin node is on chain "${chain.chain}", which is not supported`);
  }
  return {
    network: name,
    genesisHash: blockHash(resultOf<string>(genesis)),
    height: chain.blocks,
    bestBlockHash: blockHash(chain.bestblockhash),
    syncing: name !== 'regtest' && (chain.initialblockdownload || chain.blocks + 1 < chain.headers),
    headers: chain.headers,
    prunedBelow: chain.pruneheight ?? 0,
    capabilities: {
      blockFilters: index['basic block filter index']?.synced ?? false,
      anyTransaction: index.txindex?.synced ?? false,
      packages: resultOf<{ version: number }>(network).version >= FIRST_VERSION_WITH_PACKAGES,
      mining: name === 'regtest',
    },
  };
}

export async function readNodeStatus(rpc: RpcClient): Promise<NodeStatus> {
  const [network, chain] = await rpc.batch([{ method: 'getnetworkinfo' }, { method: 'getblockchaininfo' }]);
  const { connections_in, connections_out, warnings } = resultOf<{
    connections_in: number;
    connections_out: number;
    /** One text before Bitcoin Core 28. */
    warnings: string | string[];
  }>(network);
  return {
    peers: { inbound: connections_in, outbound: connections_out },
    verificationProgress: resultOf<{ verificationprogress: number }>(chain).verificationprogress,
    warnings: [warnings].flat().filter((text) => text !== ''),
  };
}

/** A node has the undo data of the blocks of its best chain that it has not pruned. */
export async function readBlockFees(rpc: RpcClient, hash: BlockHash): Promise<bigint | null> {
  const [outcome] = await rpc.batch([{ method: 'getblockstats', params: [hash, ['totalfee']] }]);
  const stats = resultOrNull<{ totalfee: number }>(
    outcome,
    RPC.miscError,
    RPC.invalidAddressOrKey,
    RPC.invalidParameter,
  );
  return stats && BigInt(stats.totalfee);
}

export async function readBestBlockHash(rpc: RpcClient): Promise<BlockHash> {
  const [outcome] = await rpc.batch([{ method: 'getbestblockhash' }]);
  return blockHash(resultOf<string>(outcome));
}

export async function readBlockHashes(rpc: RpcClient, heights: readonly number[]): Promise<(BlockHash | null)[]> {
  const hashes: (BlockHash | null)[] = [];
  for (let from = 0; from < heights.length; from += 1000) {
    const chunk = heights.slice(from, from + 1000);
    const outcomes = await rpc.batch(chunk.map((height) => ({ method: 'getblockhash', params: [height] })));
    for (const outcome of outcomes) {
      const isAboveTip = outcome.error && /out of range/i.test(outcome.error.message);
      hashes.push(isAboveTip ? null : blockHash(resultOf<string>(outcome)));
    }
  }
  return hashes;
}

export async function readMempoolInfo(rpc: RpcClient): Promise<MempoolInfo> {
  interface Answer {
    size: number;
    bytes: number;
    mempoolminfee: string;
    minrelaytxfee: string;
    incrementalrelayfee?: string;
    total_fee?: string;
  }
  const [outcome] = await rpc.batch([{ method: 'getmempoolinfo' }], { exact: true });
  const info = resultOf<Answer>(outcome);
  const mempoolMinimum = satsFromBtc(info.mempoolminfee) as FeeRate;
  const relayMinimum = satsFromBtc(info.minrelaytxfee) as FeeRate;
  return {
    count: info.size,
    vbytes: info.bytes,
    minFeeRate: mempoolMinimum > relayMinimum ? mempoolMinimum : relayMinimum,
    minRelayFeeRate: relayMinimum,
    incrementalRelayFeeRate: info.incrementalrelayfee
      ? (satsFromBtc(info.incrementalrelayfee) as FeeRate)
      : relayMinimum,
    totalFeesSats: info.total_fee === undefined ? null : satsFromBtc(info.total_fee),
  };
}

export async function readFeeEstimates(rpc: RpcClient, targets: readonly number[]): Promise<FeeEstimates> {
  const outcomes = await rpc
    .batch(
      targets.map((target) => ({ method: 'estimatesmartfee', params: [target] })),
      { exact: true },
    )
    .catch((error: unknown) => {
      throw asDomainError(error);
    });
  const estimates: FeeEstimates = new Map();
  targets.forEach((target, position) => {
    const { feerate } = resultOf<{ feerate?: string }>(outcomes[position]);
    estimates.set(target, feerate === undefined ? 'unavailable' : (satsFromBtc(feerate) as FeeRate));
  });
  return estimates;
}
