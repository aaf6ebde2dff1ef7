/** Where the chain comes from: Bitcoin Core, an Esplora server, or the simulated chain. One conformance suite runs on all three. */
import type { ParsedOutput } from '../core/blocks/transaction.ts';
import type { FeeRate } from '../core/fee-rate.ts';
import type { Network } from '../core/network.ts';
import type { BlockHash, Outpoint, Txid } from '../core/outpoint.ts';

export interface ChainInfo {
  network: Network;
  genesisHash: BlockHash;
  height: number;
  bestBlockHash: BlockHash;
  /** In initial download (never on regtest) or otherwise behind its peers' headers. */
  syncing: boolean;
  headers: number;
  /** Lowest height whose block the source can still give; 0 where it has all. */
  prunedBelow: number;
  capabilities: { blockFilters: boolean; anyTransaction: boolean; packages: boolean; mining: boolean };
}

export interface HeaderInfo {
  hash: BlockHash;
  height: number;
  prevHash: BlockHash;
  /** Unix seconds. */
  time: number;
  medianTime: number;
  /** False for a block the source knows but that is not in its best chain. */
  inBestChain: boolean;
}

export interface HeaderRecord extends HeaderInfo {
  /** The 80 bytes. */
  header: Uint8Array;
  /** null where the source has the header only. */
  transactionCount: number | null;
}

export interface RawBlock extends HeaderInfo {
  bytes: Uint8Array;
}

/** Of the node itself; null where the source does not say. */
export interface NodeStatus {
  peers: { inbound: number; outbound: number } | null;
  /** The node's estimate, 0 to 1. */
  verificationProgress: number | null;
  warnings: readonly string[];
}

export interface MempoolInfo {
  count: number;
  vbytes: number;
  /** What a transaction must pay now to get in (rises when the mempool is full). */
  minFeeRate: FeeRate;
  minRelayFeeRate: FeeRate;
  incrementalRelayFeeRate: FeeRate;
  /** The source does not tell its floors: these are what any node would take. */
  floorsAssumed?: true;
  /** null where the source does not sum them. */
  totalFeesSats: bigint | null;
}

/** How much of the mempool waits at which feerate: what pays for an ancestor counts together with it, as a miner would take them. */
export interface FeeRateDistribution {
  /** By descending feerate. */
  bands: readonly { feeRate: FeeRate; vsize: number }[];
  /** False while the source is still gathering a large mempool: `bands` then holds what it has so far. */
  complete: boolean;
}

export interface MempoolEntry {
  txid: Txid;
  vsize: number;
  feeSats: bigint;
  /** Counts and sums include the transaction itself, as in getmempoolentry. */
  ancestorCount: number;
  ancestorVsize: number;
  ancestorFeesSats: bigint;
  descendantCount: number;
  descendantVsize: number;
  descendantFeesSats: bigint;
  /** Those at any distance, without itself. */
  ancestors: Txid[];
  descendants: Txid[];
  /** When it came in, Unix seconds; null where the source does not say. */
  time: number | null;
}

/** A node's verdict. `final`: sending the same bytes again cannot help (bad signature, conflict with a confirmed spend). */
export type BroadcastVerdict =
  | { result: 'accepted' }
  /** Already in the mempool or in a block. */
  | { result: 'known' }
  | { result: 'refused'; reason: string; final: boolean };

export interface TransactionLookup {
  raw: Uint8Array;
  blockHash: BlockHash | null;
  /** null when the source does not say. */
  confirmations: number | null;
}

export interface TransactionDetails extends TransactionLookup {
  /** The outputs that it spends, in the order of its inputs; null where the source can't say, and for a coinbase's input. */
  spent: (ParsedOutput | null)[];
}

export interface OutputStatus extends ParsedOutput {
  /** null while unconfirmed. */
  height: number | null;
  coinbase: boolean;
  /** `by`: the spending transaction, null where the source knows only that there is one. */
  spent: { by: { txid: Txid; blockHash: BlockHash | null } | null } | null;
}

/** What a node says of one transaction of those that it was asked to test together. */
export interface MempoolAcceptResult {
  txid: Txid;
  /** null: not judged, because another one was refused before. */
  allowed: boolean | null;
  /** Already in the mempool or in a block. */
  known: boolean;
  /** The node's words; null where it is allowed or not judged. */
  reason: string | null;
  /** null where it is not allowed or the source does not say. */
  vsize: number | null;
  feeSats: bigint | null;
}

/** Targets in blocks to feerates; 'unavailable' where the source has too little data. */
export type FeeEstimates = Map<number, FeeRate | 'unavailable'>;

/** What an index of addresses says of one, by chain and mempool. */
interface AddressSummary {
  confirmedSats: bigint;
  /** Of what is unconfirmed, outputs less spends: negative where more is spent than paid. */
  pendingSats: bigint;
  /** Indexes do not tell young coinbase outputs apart. */
  immatureSats: bigint;
  unspentCount: number;
  transactionCount: number;
}

interface AddressOutput extends Outpoint {
  amountSats: bigint;
  /** null while unconfirmed. */
  height: number | null;
  blockHash: BlockHash | null;
  coinbase: null;
}

/** What a transaction did to an address. */
export interface AddressTransaction {
  txid: Txid;
  blockHeight: number | null;
  blockHash: BlockHash | null;
  receivedSats: bigint;
  spentSats: bigint;
}

export type ChainNotification = { type: 'block' } | { type: 'transaction'; raw?: Uint8Array };

/**
 * Every method throws DomainError `node_unavailable` (503) while the source does not answer and `node_syncing` where it cannot answer
 * yet; the next call tries again by itself. A question the source can't answer in principle throws `no_index` (it keeps
 * no index of it) or `source_incapable` (pruned, no such call), saying why and what would help; `unavailable` is what may pass.
 */
export interface ChainSource {
  readonly kind: 'bitcoind' | 'esplora' | 'simulated';
  info(): Promise<ChainInfo>;
  node(): Promise<NodeStatus>;
  /** The least that tells whether the chain is as it was. */
  bestBlockHash(): Promise<BlockHash>;
  /** null above the tip. */
  blockHashAt(height: number): Promise<BlockHash | null>;
  blockHashesAt(heights: readonly number[]): Promise<(BlockHash | null)[]>;
  header(hash: BlockHash): Promise<HeaderInfo | null>;
  /** Whole headers, in the order asked; null where unknown. */
  headerRecords(hashes: readonly BlockHash[]): Promise<(HeaderRecord | null)[]>;
  /** null where unknown; throws `source_incapable` where pruned. */
  block(hash: BlockHash): Promise<RawBlock | null>;
  /** What its transactions pay together, 0 of the genesis block; null where the source can't say (no undo data, an Esplora server). */
  blockFees(hash: BlockHash): Promise<bigint | null>;
  /** Many at once, in order, for catching up. */
  blocks(hashes: readonly BlockHash[]): Promise<RawBlock[]>;
  mempoolTxids(): Promise<Txid[]>;
  mempoolInfo(): Promise<MempoolInfo>;
  /** Costs as much as the mempool has changed since it was last asked; callers within a second share an answer. */
  feeRateDistribution(): Promise<FeeRateDistribution>;
  /** null where not in the mempool. */
  mempoolEntry(txid: Txid): Promise<MempoolEntry | null>;
  /** Raw bytes of mempool transactions, in the same order; null where gone meanwhile. */
  mempoolTransactions(txids: readonly Txid[]): Promise<(Uint8Array | null)[]>;
  /** From mempool or chain; null where the source is sure that it does not exist; throws `no_index` where it can't know (no txindex). */
  transaction(txid: Txid): Promise<TransactionLookup | null>;
  /** As `transaction`, with what it spends. `block`: look in this block, which takes no index; null where it is not in it. */
  transactionDetails(txid: Txid, block?: BlockHash): Promise<TransactionDetails | null>;
  /** null where it is sure that there is no such output; throws `no_index` where it can't know (no txindex). */
  outputStatus(outpoint: Outpoint): Promise<OutputStatus | null>;
  /** `maxFeeRate`: refused above it, as `max-fee-exceeded`. */
  broadcast(raw: Uint8Array, limits?: { maxFeeRate?: FeeRate }): Promise<BroadcastVerdict>;
  /** Parents then child, at most 25. Throws `source_incapable` where the source has no packages. */
  broadcastPackage(raws: readonly Uint8Array[]): Promise<BroadcastVerdict>;
  /** What `broadcast` would say, without doing it. */
  testAccept(raw: Uint8Array): Promise<BroadcastVerdict>;
  /**
   * What the mempool would say of up to 25 transactions, parents before children, in their order. Each pays its own way: a child does not
   * make up for its parent.
   */
  testTogether(raws: readonly Uint8Array[]): Promise<MempoolAcceptResult[]>;
  /** An unspent output by chain and mempool; null where spent or unknown. */
  utxo(
    outpoint: Outpoint,
  ): Promise<{ amountSats: bigint; scriptPubKey: string; height: number | null; coinbase: boolean } | null>;
  estimateFees(targets: readonly number[]): Promise<FeeEstimates>;
  /** The three of an index of addresses; null where the source has none (Bitcoin Core). */
  addressSummary(address: string): Promise<AddressSummary | null>;
  /** Unspent ones, newest first. */
  addressOutputs(address: string): Promise<AddressOutput[] | null>;
  /** Newest first, unconfirmed ones before; from behind a confirmed one. `next` is what to go on behind, null at the end. */
  addressTransactions(
    address: string,
    after: Txid | null,
  ): Promise<{ entries: AddressTransaction[]; next: Txid | null } | null>;
  /**
   * Heights in [from, to] whose block may pay or spend one of the scripts (no false negatives), ascending; null where the source has
   * no block filters, so that the caller reads every block.
   */
  matchingBlocks(
    scriptPubKeys: readonly string[],
    from: number,
    to: number,
    onProgress?: (height: number) => void,
    signal?: AbortSignal,
  ): Promise<number[] | null>;
  /** Regtest and simulated only; elsewhere throws `forbidden`. Answers the new blocks, oldest first. */
  mine(count: number, scriptPubKey: string): Promise<{ height: number; hash: BlockHash }[]>;
  /** Calls back soon after something changed, where the source can push (ZMQ, simulated). Polling by the follower goes on regardless. */
  onNotification(listener: (notification: ChainNotification) => void): () => void;
  close(): Promise<void>;
}
