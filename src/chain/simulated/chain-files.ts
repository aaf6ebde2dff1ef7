import { join } from 'node:path';
import { parseHeader } from '../../core/blocks/header.ts';
import { type ParsedTransaction, parseTransaction } from '../../core/blocks/transaction.ts';
import { type BlockHash, displayHash, internalHash, type Txid } from '../../core/outpoint.ts';
import { isExhausted } from '../../outages/exhausted.ts';
import type { BuiltBlock } from './block-building.ts';
import type { ChainState, StoredBlock } from './chain-state.ts';
import { openRecordLog, type RecordLog } from './record-log.ts';

/** What happens to the chain and the mempool, in the order in which it does. */
export interface ChainJournal {
  block(block: BuiltBlock): void;
  /** The chain was cut back to this block. */
  cutBackTo(hash: BlockHash): void;
  accepted(tx: ParsedTransaction): void;
  /** Left the mempool, other than by being mined or by losing to a mined transaction. */
  dropped(txid: Txid): void;
  /** The mempool as a whole, where its file has grown out of proportion or `always`. */
  mempool(entries: Iterable<{ readonly tx: ParsedTransaction }>, vbytes: number, always: boolean): void;
  close(): void;
}

export const memoryOnly: ChainJournal = {
  block() {},
  cutBackTo() {},
  accepted() {},
  dropped() {},
  mempool() {},
  close() {},
};

const BLOCK = 1;
const CUT_BACK = 2;
const ACCEPTED = 1;
const DROPPED = 2;
const MEMPOOL_SLACK_BYTES = 4 * 1024 * 1024;

/** Opens `blocks.dat` and `mempool.dat` in the folder and rebuilds in `chain` what they tell. */
export function openChainFiles(folder: string, chain: ChainState) {
  const blocks = openRecordLog(join(folder, 'blocks.dat'));
  const mempool = openRecordLog(join(folder, 'mempool.dat'));
  replayBlocks(blocks.records, chain);
  return {
    journal: journalOf(blocks.log, mempool.log),
    /** Transactions that were in the mempool, parents first; some may have been mined since. */
    pooled: replayMempool(mempool.records),
    droppedBytes: blocks.droppedBytes + mempool.droppedBytes,
  };
}

type Records = ReturnType<typeof openRecordLog>['records'];

/** A branch is the best one from the moment it is higher than the one before it, as when it was written. */
function replayBlocks(records: Records, chain: ChainState): void {
  let tip = chain.tip();
  for (const { type, payload } of records) {
    if (type === CUT_BACK) {
      tip = known(chain, displayHash(payload) as BlockHash);
      continue;
    }
    const header = parseHeader(payload);
    known(chain, header.prevHash);
    const block = chain.add({ header, bytes: payload });
    if (block.height > tip.height) tip = block;
  }
  const branch: StoredBlock[] = [];
  for (let block = tip; block.height > 0; block = known(chain, block.header.prevHash)) branch.push(block);
  for (const block of branch.reverse()) chain.connect(block);
}

function known(chain: ChainState, hash: BlockHash): StoredBlock {
  const block = chain.block(hash);
  if (!block)
    throw new Error(
      `blocks.dat of the simulated chain does not fit together at block ${hash}: it was written by another version or changed. ` +
        'Start with an empty data directory.',
    );
  return block;
}

function replayMempool(records: Records): ParsedTransaction[] {
  const pooled = new Map<Txid, ParsedTransaction>();
  for (const { type, payload } of records) {
    if (type === DROPPED) {
      pooled.delete(displayHash(payload) as Txid);
      continue;
    }
    const tx = parseTransaction(payload);
    pooled.delete(tx.txid);
    pooled.set(tx.txid, tx);
  }
  return [...pooled.values()];
}

function journalOf(blocks: RecordLog, mempool: RecordLog): ChainJournal {
  return {
    block: ({ bytes }) => blocks.append(BLOCK, bytes),
    cutBackTo: (hash) => blocks.append(CUT_BACK, internalHash(hash)),
    accepted: ({ raw }) => mempool.append(ACCEPTED, raw),
    dropped: (txid) => mempool.append(DROPPED, internalHash(txid)),
    mempool(entries, vbytes, always) {
      if (!always && mempool.size < MEMPOOL_SLACK_BYTES + 8 * vbytes) return;
      try {
        mempool.rewrite([...entries].map(({ tx }) => ({ type: ACCEPTED, payload: tx.raw })));
      } catch (error) {
        // Too long a file serves as well; what is under way has happened by now.
        if (!isExhausted(error)) throw error;
      }
    },
    close() {
      blocks.close();
      mempool.close();
    },
  };
}
