import type { MatchedBlock } from '../../chain/follower/chain-sink.ts';
import type { UpdateData } from '../../core/events/channels.ts';
import type { BlockRecord, NewEvent } from '../../store/records.ts';
import type { Repositories } from '../../store/store.ts';
import { type ApplyDeps, applyTransaction } from './apply-transaction.ts';
import type { Changes } from './changes.ts';

/** The `blocks` channel's update: timestamp in Unix seconds, as in the header. */
export const blockEvent = ({ height, hash, time }: BlockRecord): NewEvent => ({
  accountId: null,
  channel: 'blocks',
  ref: hash,
  data: { height, hash, timestamp: time } satisfies UpdateData['blocks'],
});

const recordOf = ({ height, hash, prevHash, time, medianTime }: BlockRecord): BlockRecord => ({
  height,
  hash,
  prevHash,
  time,
  medianTime,
});

/**
 * Appends blocks to the tip, which the job holds, each with its event and then those of its transactions. `stale`: scripts have come since the blocks were
 * matched, so that all are gone over again. Throws where the first does not follow the tip.
 */
export async function connectBlocks(
  tx: Repositories,
  tip: BlockRecord | null,
  blocks: readonly MatchedBlock[],
  stale: boolean,
  deps: ApplyDeps,
  changes: Changes,
): Promise<void> {
  let previous = tip;
  // Runs of blocks without anything of ours go in together.
  let run: MatchedBlock[] = [];
  const flush = async (): Promise<void> => {
    if (run.length === 0) return;
    await tx.ledger.insertBlocks(run.map(recordOf));
    await tx.events.appendMany(run.map(blockEvent));
    run = [];
  };
  for (const block of blocks) {
    if (previous && (block.prevHash !== previous.hash || block.height !== previous.height + 1)) {
      throw new Error(`block ${block.hash} at height ${block.height} does not follow the tip ${previous.hash}`);
    }
    previous = block;
    run.push(block);
    const fresh = stale || changes.scripts.length > 0;
    if (!fresh && block.transactions.length === 0) continue;
    await flush();
    await applyBlock(tx, block, fresh, deps, changes);
  }
  await flush();
}

/** The transactions of one block, again as long as they bring up scripts that may be paid in the same block. */
async function applyBlock(
  tx: Repositories,
  block: MatchedBlock,
  fresh: boolean,
  deps: ApplyDeps,
  changes: Changes,
): Promise<void> {
  let transactions = fresh ? block.rescan(changes.scripts) : block.transactions;
  for (;;) {
    const before = changes.scripts.length;
    for (const transaction of transactions) await applyTransaction(tx, transaction, block, deps, changes);
    if (changes.scripts.length === before) return;
    transactions = block.rescan(changes.scripts.slice(before));
  }
}
