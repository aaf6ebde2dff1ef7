import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Logger } from 'pino';
import { MalformedDataError } from '../../core/blocks/malformed-data-error.ts';
import { type ParsedTransaction, parseTransaction } from '../../core/blocks/transaction.ts';
import { DomainError } from '../../core/errors.ts';
import type { FeeRate } from '../../core/fee-rate.ts';
import { ecc } from '../../core/keys/ecc.ts';
import type { BlockHash, Txid } from '../../core/outpoint.ts';
import type { BroadcastVerdict, ChainNotification, ChainSource, FeeEstimates } from '../chain-source.ts';
import { noAddressIndex } from '../no-address-index.ts';
import { packageCause } from '../package-verdict.ts';
import { buildGenesis } from './block-building.ts';
import { chainAnswers } from './chain-answers.ts';
import { memoryOnly, openChainFiles } from './chain-files.ts';
import { createChainState, type StoredBlock } from './chain-state.ts';
import { matchingBlocks } from './matching-blocks.ts';
import { createMempool } from './mempool.ts';
import { createMempoolLimits, type RelayPolicy } from './mempool-limits.ts';
import { submitPackage } from './package-submission.ts';
import { notNow, Refusal } from './refusal.ts';
import { createSimulatedNode } from './simulated-node.ts';
import { checkMaxFee, testTogether } from './test-mempool-accept.ts';

export interface SimulatedChainOptions {
  /** Where blocks and mempool are kept over restarts; without it they live in memory. */
  dataDir?: string;
  /** Epoch ms. */
  clock: () => number;
  randomBytes: (size: number) => Uint8Array;
  log: Pick<Logger, 'info' | 'warn'>;
  /** Defaults to 0.1 sat/vB each, as Bitcoin Core 30. */
  relay?: Partial<RelayPolicy>;
}

interface MinedBlock {
  height: number;
  hash: BlockHash;
}

/** The chain source, and what tests and demos do to a chain besides. */
export interface SimulatedChain extends ChainSource {
  readonly kind: 'simulated';
  /** The next block of exactly these transactions, whether the mempool would take them or not. Throws Error with the node's reason. */
  mineTransactions(raws: readonly Uint8Array[], scriptPubKey?: string): Promise<MinedBlock>;
  /**
   * Replaces the last `depth` blocks by a branch one block longer; answers its blocks. What the old branch had goes back to the mempool
   * where it is still valid, or into the new branch with `remine`; `exclude` is forgotten, and what spends from it; `include` (raw) goes into
   * the first new block. Throws Error where that block cannot take it.
   */
  reorganize(
    depth: number,
    plan?: { exclude?: readonly Txid[]; include?: readonly Uint8Array[]; remine?: boolean; scriptPubKey?: string },
  ): Promise<MinedBlock[]>;
  /** Takes the last `depth` blocks off, as invalidateblock: what is not final at the lower height leaves the mempool, too. */
  disconnect(depth: number): Promise<void>;
  /** Drops a transaction and its descendants from the mempool, as for lack of space. False where it is not there. */
  evict(txid: Txid): Promise<boolean>;
  /** The mempool's size limit, and a minimum feerate that it asks for in any case. */
  setMempoolLimits(limits: { maxVbytes?: number; minFeeRate?: FeeRate }): void;
  /** What estimateFees answers; without it every target is unavailable, as on a regtest node. */
  setFeeEstimates(estimates: FeeEstimates | null): void;
  /** While false every question throws node_unavailable and nothing is pushed. */
  setReachable(reachable: boolean): void;
}

const DEFAULT_RELAY: RelayPolicy = { minRelayFeeRate: 100n as FeeRate, incrementalRelayFeeRate: 100n as FeeRate };
/** OP_TRUE: blocks that nobody asked for pay nobody. */
const NOBODY = '51';
const BLOCKS_PER_TURN = 50;
/** Bytes of a transaction that is read within a millisecond or two. */
const AT_ONCE = 50_000;

/**
 * A chain of its own in this process: real formats, real scripts and signatures, real work at regtest's difficulty, no peers.
 */
export async function createSimulatedChain(options: SimulatedChainOptions): Promise<SimulatedChain> {
  const { clock, randomBytes, log } = options;
  const chain = createChainState(buildGenesis());
  const mempool = createMempool();
  const relay = { ...DEFAULT_RELAY, ...options.relay };
  const limits = createMempoolLimits(mempool, relay, clock);
  const files = options.dataDir === undefined ? null : openChainFiles(options.dataDir, chain);
  if (files && files.droppedBytes > 0)
    log.warn(
      { droppedBytes: files.droppedBytes },
      'the simulated chain was stopped while writing; its last record is dropped',
    );

  const listeners = new Set<(notification: ChainNotification) => void>();
  let reachable = true;
  let closed = false;
  let estimates: FeeEstimates | null = null;
  const notify = (notification: ChainNotification): void => {
    if (!reachable || listeners.size === 0) return;
    setImmediate(() => {
      for (const listener of listeners) listener(notification);
    });
  };
  const journal = files?.journal ?? memoryOnly;
  const node = createSimulatedNode({ chain, mempool, limits, journal, ecc, clock, randomBytes, notify });
  if (files) {
    node.restore(files.pooled.map((tx) => ({ tx, addedAt: clock() })));
    log.info({ height: chain.tip().height, mempool: mempool.size }, 'the simulated chain goes on where it was');
  }

  function answering<T>(answer: () => T): Promise<T> {
    return new Promise((resolve) => {
      if (closed || !reachable)
        throw new DomainError('node_unavailable', 'the simulated chain does not answer', { retryAfterSeconds: 1 });
      resolve(answer());
    });
  }

  function verdict(submit: () => 'accepted' | 'known'): BroadcastVerdict {
    try {
      return { result: submit() };
    } catch (error) {
      if (error instanceof Refusal) return { result: 'refused', reason: error.message, final: error.final };
      if (error instanceof MalformedDataError)
        return { result: 'refused', reason: `TX decode failed: ${error.message}`, final: true };
      throw error;
    }
  }

  /** Reading a large one takes as long as judging it: others get their turn in between. */
  async function one(raw: Uint8Array, take: (tx: ParsedTransaction) => void): Promise<BroadcastVerdict> {
    const judged = (tx: ParsedTransaction) => {
      if (node.isKnown(tx.txid)) return 'known';
      take(tx);
      return 'accepted';
    };
    if (raw.length <= AT_ONCE) return answering(() => verdict(() => judged(parseTransaction(raw))));
    let read: ParsedTransaction | null = null;
    const unread = await answering(() =>
      verdict(() => {
        read = parseTransaction(raw);
        return 'known';
      }),
    );
    await nextTurn();
    return read === null ? unread : answering(() => verdict(() => judged(read as ParsedTransaction)));
  }

  const mined = (block: StoredBlock): MinedBlock => ({ height: block.height, hash: block.header.hash });
  const depthOf = (depth: number): number => {
    if (!Number.isInteger(depth) || depth < 1 || depth > chain.tip().height)
      throw new RangeError(`the chain has ${chain.tip().height} blocks to take off, not ${depth}`);
    return depth;
  };
  const answers = chainAnswers(chain, mempool, limits);

  return {
    kind: 'simulated',
    info: () => answering(answers.info),
    bestBlockHash: () => answering(() => chain.tip().header.hash),
    blockHashAt: (height) => answering(() => answers.blockHashAt(height)),
    blockHashesAt: (heights) => answering(() => heights.map(answers.blockHashAt)),
    header: (hash) => answering(() => answers.header(hash)),
    headerRecords: (hashes) => answering(() => hashes.map(answers.headerRecord)),
    block: (hash) => answering(() => answers.block(hash)),
    blockFees: (hash) => answering(() => answers.blockFees(hash)),
    node: () => answering(() => ({ peers: { inbound: 0, outbound: 0 }, verificationProgress: 1, warnings: [] })),
    blocks: (hashes) =>
      answering(() =>
        hashes.map((hash) => {
          const block = answers.block(hash);
          if (!block) throw new DomainError('unavailable', `the simulated chain has no block ${hash}`);
          return block;
        }),
      ),
    mempoolTxids: () => answering(answers.mempoolTxids),
    mempoolInfo: () => answering(answers.mempoolInfo),
    feeRateDistribution: () => answering(answers.feeRateDistribution),
    mempoolEntry: (txid) => answering(() => answers.mempoolEntry(txid)),
    mempoolTransactions: (txids) => answering(() => txids.map((txid) => mempool.get(txid)?.tx.raw ?? null)),
    transaction: (txid) => answering(() => answers.transaction(txid)),
    transactionDetails: (txid, block) => answering(() => answers.transactionDetails(txid, block)),
    outputStatus: (outpoint) => answering(() => answers.outputStatus(outpoint)),
    broadcast: (raw, { maxFeeRate } = {}) =>
      one(raw, (tx) => {
        if (maxFeeRate !== undefined) checkMaxFee(node, tx, maxFeeRate);
        node.accept(tx);
      }),
    testAccept: (raw) => one(raw, node.wouldAccept),
    async testTogether(raws) {
      const transactions = await answering(() => raws.map(parseTransaction));
      await nextTurn();
      return answering(() => testTogether(node, transactions));
    },
    broadcastPackage: (raws) =>
      answering(() =>
        verdict(() => {
          const transactions = raws.map(parseTransaction);
          if (transactions.every(({ txid }) => node.isKnown(txid))) return 'known';
          const { message, refused } = submitPackage(node, transactions);
          const parts = transactions.map(({ txid }) => ({ txid, error: refused.get(txid)?.message ?? null }));
          const cause = packageCause(message, parts);
          if (cause) throw refused.get(cause.txid as Txid) ?? notNow(cause.error);
          return 'accepted';
        }),
      ),
    utxo: (outpoint) => answering(() => answers.utxo(outpoint)),
    estimateFees: (targets) =>
      answering(() => new Map(targets.map((target) => [target, estimates?.get(target) ?? 'unavailable']))),
    ...noAddressIndex,
    async matchingBlocks(scriptPubKeys, from, to, onProgress, signal) {
      await answering(() => undefined);
      return matchingBlocks(chain, { scriptPubKeys, from, to, salt: randomBytes(16), onProgress, signal });
    },
    async mine(count, scriptPubKey) {
      const blocks: MinedBlock[] = [];
      for (let i = 0; i < count; i++) {
        if (i > 0 && i % BLOCKS_PER_TURN === 0) await nextTurn();
        blocks.push(mined(await answering(() => node.mine(scriptPubKey))));
      }
      return blocks;
    },
    mineTransactions: (raws, scriptPubKey = NOBODY) =>
      answering(() => mined(node.mineThese(raws.map(parseTransaction), scriptPubKey))),
    reorganize: (depth, plan = {}) =>
      answering(() =>
        node
          .reorganize(depthOf(depth), {
            exclude: new Set(plan.exclude),
            include: (plan.include ?? []).map(parseTransaction),
            remine: plan.remine ?? false,
            scriptPubKey: plan.scriptPubKey ?? NOBODY,
          })
          .map(mined),
      ),
    disconnect: (depth) => answering(() => node.cutBack(depthOf(depth))),
    evict: (txid) => answering(() => node.evict(txid)),
    setMempoolLimits(next) {
      limits.set(next);
      node.trim();
    },
    setFeeEstimates(next) {
      estimates = next;
    },
    setReachable(next) {
      reachable = next;
    },
    onNotification(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async close() {
      if (closed) return;
      closed = true;
      listeners.clear();
      journal.close();
    },
  };
}
