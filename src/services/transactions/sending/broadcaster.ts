/**
 * Keeps own unconfirmed transactions in a mempool: what the database holds and no mempool has is sent again, at every new tip, at
 * start, and on an interval. It remembers nothing that a restart would lose.
 */
import type { Logger } from 'pino';
import type { ChainSource } from '../../../chain/chain-source.ts';
import type { Txid } from '../../../core/outpoint.ts';
import { createWorker, type Worker } from '../../../scheduling/worker.ts';
import type { TransactionRecord } from '../../../store/records.ts';
import type { Store } from '../../../store/store.ts';
import type { Sender } from './sender.ts';
import { isBelowMinimum } from './settle-verdict.ts';

const INTERVAL_MS = 30_000;
/** After the follower found one of ours missing from the mempool. */
const MISSING_MS = 2_000;

export interface Broadcaster extends Worker {
  /** Sends what no mempool has, parents before children; answers how many were sent. */
  resend(signal?: AbortSignal): Promise<number>;
}

interface Ordered {
  readonly record: TransactionRecord;
  readonly parents: readonly Txid[];
}

export function createBroadcaster(deps: {
  store: Store;
  chain: Pick<ChainSource, 'mempoolTxids'>;
  sender: Sender;
  /** Calls back after the follower has applied a new tip; returns the unsubscribe. */
  onTip: (listener: () => void) => () => void;
  /** Calls back when the follower misses own transactions in the mempool; returns the unsubscribe. */
  onOwnMissing?: (listener: () => void) => () => void;
  log: Pick<Logger, 'info' | 'warn' | 'error'>;
  clock: () => number;
  intervalMs?: number;
}): Broadcaster {
  const { store, chain, sender, log, intervalMs = INTERVAL_MS } = deps;
  async function resend(signal?: AbortSignal): Promise<number> {
    const inMempool = new Set<Txid>(await chain.mempoolTxids());
    const own = (await store.read.ledger.unconfirmed()).filter((record) => record.raw && record.kind !== 'deposit');
    const isThere = (record: TransactionRecord): boolean =>
      inMempool.has(record.txid) && record.status === 'broadcast' && record.reason === null;
    // Their order is read one by one.
    if (own.every(isThere)) return 0;
    const ordered = await parentsFirst(own);
    const waiting = new Set<Txid>();
    let sent = 0;
    for (const { record, parents } of ordered) {
      if (signal?.aborted) break;
      if (isThere(record)) continue;
      // A parent that no node took keeps its children waiting; their turn comes with it, as a package.
      if (parents.some((parent) => waiting.has(parent))) {
        waiting.add(record.txid);
        continue;
      }
      const after = await sender.resend(record);
      if (!after) continue;
      sent += 1;
      if (after.status === 'signed' || (after.status === 'broadcast' && after.reason !== null)) {
        waiting.add(record.txid);
        if (after.reason && isBelowMinimum(after.reason) && (await liftByChild(record, ordered))) {
          waiting.delete(record.txid);
        }
      }
    }
    return sent;
  }

  /** Below the minimum on its own: in with a child of ours that pays for both. */
  async function liftByChild(record: TransactionRecord, ordered: readonly Ordered[]): Promise<boolean> {
    for (const { record: child, parents } of ordered) {
      if (!parents.includes(record.txid)) continue;
      const members = ordered.filter((one) => parents.includes(one.record.txid)).map((one) => one.record);
      if (await sender.sendPackage(members, child)) return true;
    }
    return false;
  }

  async function parentsFirst(records: readonly TransactionRecord[]): Promise<Ordered[]> {
    const byKey = new Map(records.map((record) => [`${record.accountId} ${record.txid}`, record]));
    const placed = new Set<string>();
    const ordered: Ordered[] = [];
    const place = async (record: TransactionRecord): Promise<void> => {
      const key = `${record.accountId} ${record.txid}`;
      if (placed.has(key)) return;
      placed.add(key);
      const inputs = await store.read.transactions.inputs(record.accountId, record.txid);
      const parents = [...new Set(inputs.map((input) => input.prev.txid))];
      for (const parent of parents) {
        const own = byKey.get(`${record.accountId} ${parent}`);
        if (own) await place(own);
      }
      ordered.push({ record, parents });
    };
    for (const record of records) await place(record);
    return ordered;
  }

  const worker = createWorker({
    ...{ name: 'sending', log, clock: deps.clock, intervalMs, round: resend },
    failed: 'own transactions cannot be sent again; trying again',
    recovered: 'own transactions are sent again',
    wokenBy(wake) {
      const ends = [deps.onTip(() => wake()), deps.onOwnMissing?.(() => wake(MISSING_MS))];
      return () => {
        for (const end of ends) end?.();
      };
    },
  });
  return { ...worker, resend };
}
