import type { ParsedTransaction } from '../../core/blocks/transaction.ts';
import type { Txid } from '../../core/outpoint.ts';
import type { SignatureVerifier } from '../../core/scripts/interpreter/verify-spend.ts';
import type { ChainNotification } from '../chain-source.ts';
import { type Admission, judge, judgeTogether } from './admission.ts';
import { judgeAgain, judgeForBlock } from './block-admission.ts';
import { buildBlock } from './block-building.ts';
import { RESERVED_WEIGHT, selectForBlock } from './block-template.ts';
import type { ChainJournal } from './chain-files.ts';
import type { ChainState, StoredBlock } from './chain-state.ts';
import { MAX_BLOCK_WEIGHT } from './consensus.ts';
import { descendantsOf, feesOf, type Mempool, type PooledTransaction } from './mempool.ts';
import type { MempoolLimits } from './mempool-limits.ts';
import type { AdmissionParts } from './pre-checks.ts';
import { never, notAlone, Refusal } from './refusal.ts';

export interface SimulatedNodeParts {
  readonly chain: ChainState;
  readonly mempool: Mempool;
  readonly limits: MempoolLimits;
  readonly journal: ChainJournal;
  readonly ecc: SignatureVerifier;
  readonly clock: () => number;
  readonly randomBytes: (size: number) => Uint8Array;
  readonly notify: (notification: ChainNotification) => void;
}

interface ReorganizationPlan {
  readonly exclude: ReadonlySet<Txid>;
  readonly include: readonly ParsedTransaction[];
  readonly remine: boolean;
  readonly scriptPubKey: string;
}

const EXPIRY_MS = 336 * 3600 * 1000;

/** The rules applied to state: every change of chain and mempool goes through here, at once and in full. */
export function createSimulatedNode(parts: SimulatedNodeParts) {
  const { chain, mempool, limits, journal, clock } = parts;
  const admissionParts: AdmissionParts = { chain, mempool, ecc: parts.ecc, clock, floors: () => limits.floors() };

  function take({ added, evicted }: Admission): readonly PooledTransaction[] {
    for (const { tx } of added) journal.accepted(tx);
    for (const entry of evicted) drop(entry);
    for (const entry of added) mempool.add(entry);
    return added;
  }

  function settleIn(added: readonly PooledTransaction[]): void {
    trim();
    for (const { tx } of added) if (mempool.get(tx.txid)) parts.notify({ type: 'transaction', raw: tx.raw });
  }

  function drop(entry: PooledTransaction): void {
    journal.dropped(entry.tx.txid);
    mempool.remove(entry);
  }

  function trim(): void {
    for (const entry of limits.overflow()) drop(entry);
  }

  function nextBlock(scriptPubKey: string, transactions: readonly ParsedTransaction[], feesSats: bigint): StoredBlock {
    const tip = chain.tip();
    const block = buildBlock({
      prevHash: tip.header.hash,
      height: tip.height + 1,
      time: Math.max(Math.floor(clock() / 1000), tip.medianTime + 1),
      scriptPubKey,
      transactions,
      feesSats,
      extraNonce: parts.randomBytes(8),
    });
    journal.block(block);
    const stored = chain.add(block);
    chain.connect(stored, block.transactions);
    return stored;
  }

  /** What a new block makes of the mempool: its transactions leave, and so does whatever conflicts with them. */
  function settle(minedTransactions: readonly ParsedTransaction[]): void {
    for (const tx of minedTransactions) {
      const mined = mempool.get(tx.txid);
      if (mined) mempool.remove(mined);
      for (const { prev } of tx.inputs) {
        const loser = mempool.spenderOf(prev);
        if (loser) for (const entry of descendantsOf(loser)) mempool.remove(entry);
      }
    }
    const oldest = clock() - EXPIRY_MS;
    for (const entry of mempool.entries())
      if (entry.addedAt < oldest) for (const descendant of descendantsOf(entry)) drop(descendant);
    journal.mempool(mempool.entries(), mempool.vbytes, false);
  }

  function restore(transactions: readonly { tx: ParsedTransaction; addedAt: number }[]): void {
    mempool.clear();
    for (const { tx, addedAt } of transactions) {
      if (chain.confirmed(tx.txid) || mempool.get(tx.txid)) continue;
      try {
        mempool.add(judgeAgain(admissionParts, tx, addedAt));
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
      }
    }
    trim();
    journal.mempool(mempool.entries(), mempool.vbytes, true);
  }

  /** Those of `pending` that the next block can take, after `required`, which it must. */
  function fitting(required: readonly ParsedTransaction[], pending: readonly ParsedTransaction[]) {
    const staged = new Map<Txid, ParsedTransaction>();
    const spent = new Set<string>();
    const taken: ParsedTransaction[] = [];
    let feesSats = 0n;
    let weight = 0;
    for (const tx of required) {
      feesSats += judgeForBlock(admissionParts, tx, staged, spent);
      weight += tx.weight;
      taken.push(tx);
    }
    if (weight > MAX_BLOCK_WEIGHT - RESERVED_WEIGHT) throw never('bad-blk-weight');
    for (const tx of pending) {
      if (weight + tx.weight > MAX_BLOCK_WEIGHT - RESERVED_WEIGHT) continue;
      try {
        feesSats += judgeForBlock(admissionParts, tx, staged, spent);
      } catch (error) {
        if (error instanceof Refusal) continue;
        throw error;
      }
      weight += tx.weight;
      taken.push(tx);
    }
    return { taken, feesSats };
  }

  function disconnect(depth: number): ParsedTransaction[] {
    const removed = Array.from({ length: depth }, () => chain.disconnect());
    return removed.reverse().flatMap((transactions) => transactions.filter((tx) => !tx.coinbase));
  }

  const pooled = () => [...mempool.entries()].map(({ tx, addedAt }) => ({ tx, addedAt }));
  const arriving = (transactions: readonly ParsedTransaction[]) => transactions.map((tx) => ({ tx, addedAt: clock() }));

  return {
    /** In the mempool or in a block. */
    isKnown: (txid: Txid) => mempool.get(txid) !== null || chain.confirmed(txid) !== null,
    isPooled: (txid: Txid) => mempool.get(txid) !== null,
    /** Throws Refusal. */
    accept(tx: ParsedTransaction) {
      settleIn(take(judge(admissionParts, tx)));
      if (!mempool.get(tx.txid)) throw notAlone('mempool full');
    },
    /** What accept would do. Throws Refusal. */
    wouldAccept: (tx: ParsedTransaction) => judge(admissionParts, tx),
    wouldAcceptTogether: (transactions: readonly ParsedTransaction[], purpose: 'package' | 'test') =>
      judgeTogether(admissionParts, transactions, purpose),
    /** Takes in what was judged, beyond the mempool's size if need be, until `settleIn`; answers it. */
    take,
    /** Brings the mempool back to its limits and tells of those that stayed. */
    settleIn,
    /** The next block, from the mempool. */
    mine(scriptPubKey: string) {
      const chosen = selectForBlock(mempool, MAX_BLOCK_WEIGHT);
      const transactions = chosen.map(({ tx }) => tx);
      const block = nextBlock(scriptPubKey, transactions, feesOf(chosen));
      settle(transactions);
      parts.notify({ type: 'block' });
      return block;
    },
    /** The next block, of exactly these transactions, seen before or not. Throws Refusal. */
    mineThese(transactions: readonly ParsedTransaction[], scriptPubKey: string) {
      const { taken, feesSats } = fitting(transactions, []);
      const block = nextBlock(scriptPubKey, taken, feesSats);
      settle(taken);
      parts.notify({ type: 'block' });
      return block;
    },
    /** Replaces the last `depth` blocks by one more; see SimulatedChain. Throws Refusal. */
    reorganize(depth: number, plan: ReorganizationPlan) {
      const before = pooled();
      const old = chain.tip();
      const gone = disconnect(depth);
      let pending = gone.filter((tx) => !plan.exclude.has(tx.txid));
      const fresh: StoredBlock[] = [];
      try {
        for (let i = 0; i <= depth; i++) {
          const { taken, feesSats } = fitting(i === 0 ? plan.include : [], plan.remine ? pending : []);
          const mined = new Set(taken);
          pending = pending.filter((tx) => !mined.has(tx));
          fresh.push(nextBlock(plan.scriptPubKey, taken, feesSats));
        }
      } catch (error) {
        disconnect(fresh.length);
        reconnect(old, depth);
        throw error;
      }
      restore([...arriving(pending), ...before.filter(({ tx }) => !plan.exclude.has(tx.txid))]);
      parts.notify({ type: 'block' });
      return fresh;
    },
    /** Cuts the last `depth` blocks off. */
    cutBack(depth: number) {
      const before = pooled();
      const gone = disconnect(depth);
      journal.cutBackTo(chain.tip().header.hash);
      restore([...arriving(gone), ...before]);
      parts.notify({ type: 'block' });
    },
    /** Drops a transaction and its descendants from the mempool. False where it is not there. */
    evict(txid: Txid) {
      const entry = mempool.get(txid);
      if (!entry) return false;
      for (const descendant of descendantsOf(entry)) drop(descendant);
      parts.notify({ type: 'transaction' });
      return true;
    },
    /** Brings the mempool back to its limits. */
    trim,
    /** Takes back what was in the mempool before a restart or reorganization, as far as it still can be. */
    restore,
  };

  function reconnect(tip: StoredBlock, depth: number): void {
    const branch: StoredBlock[] = [];
    for (
      let block: StoredBlock | null = tip;
      block && branch.length < depth;
      block = chain.block(block.header.prevHash)
    )
      branch.push(block);
    for (const block of branch.reverse()) chain.connect(block);
  }
}

export type SimulatedNode = ReturnType<typeof createSimulatedNode>;
