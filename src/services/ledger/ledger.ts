import type { ChainSink } from '../../chain/follower/chain-sink.ts';
import type { Network } from '../../core/network.ts';
import type { Repositories, Store } from '../../store/store.ts';
import { settleContracts } from '../contracts/tracking/settle-contracts.ts';
import type { ScriptPool } from '../wallets/database-script-pool.ts';
import { connectBlocks } from './apply-blocks.ts';
import { type ApplyDeps, applyTransaction } from './apply-transaction.ts';
import { asApplied, type Changes, noChanges } from './changes.ts';
import { disconnectBlock } from './disconnect-block.ts';
import { readHalt, writeHalt } from './halt.ts';
import { invalidateMissing, missingFrom, parentsFirst } from './mempool.ts';

/** Transactions of the mempool that one write job takes, so that payments do not wait long behind it. */
const MEMPOOL_BATCH = 50;

/** Turns chain facts into records, coins and events. All state is the database's: any process may apply the next fact. */
export function createLedger(deps: {
  store: Pick<Store, 'read' | 'write'>;
  scriptPool: Pick<ScriptPool, 'topUp'>;
  network: Network;
  clock: () => number;
}): ChainSink {
  const { store, network, clock, scriptPool } = deps;

  /** A write job with what it found out: made anew in each of its runs. */
  async function job(work: (tx: Repositories, deps: ApplyDeps, changes: Changes) => Promise<void>) {
    const changes = await store.write(async (tx) => {
      const found = noChanges();
      const now = clock();
      await work(tx, { network, scriptPool, now }, found);
      await settleContracts(tx, found.contracts, now);
      return found;
    });
    return asApplied(changes);
  }

  return {
    async begin(base) {
      await store.write(async (tx) => {
        if ((await tx.ledger.tip()) === null) await tx.ledger.insertBlocks(base);
      });
    },

    connectBlocks: (blocks, refresh) =>
      job(async (tx, applyDeps, changes) => {
        // Held before the refresh: whoever adds scripts and holds it too either is seen by this look or sees these blocks.
        const tip = await tx.ledger.holdTip();
        await connectBlocks(tx, tip, blocks, await refresh(tx.ledger), applyDeps, changes);
      }),

    disconnectBlock: (height, hash) => job((tx, { now }, changes) => disconnectBlock(tx, height, hash, now, changes)),

    async applyMempool(transactions) {
      const ordered = parentsFirst(transactions);
      const all = noChanges();
      for (let i = 0; i < ordered.length; i += MEMPOOL_BATCH) {
        const applied = await job(async (tx, applyDeps, changes) => {
          for (const transaction of ordered.slice(i, i + MEMPOOL_BATCH)) {
            await applyTransaction(tx, transaction, null, applyDeps, changes);
          }
        });
        all.scripts.push(...applied.scripts);
        all.coins.push(...applied.coins);
        all.inputs.push(...applied.inputs);
        for (const txid of applied.dead) all.dead.add(txid);
        for (const txid of applied.ignored) all.ignored.add(txid);
      }
      return asApplied(all);
    },

    missingFrom: (isPresent) => missingFrom(store.read.ledger, isPresent),

    leftMempool: (txids) =>
      job(async (tx, { now }, changes) => {
        for (const txid of txids) await invalidateMissing(tx, txid, now, changes);
      }),

    setHalt: (reason) => writeHalt(store, reason, clock()),
    halted: async () => (await readHalt(store.read))?.reason ?? null,
  };
}
