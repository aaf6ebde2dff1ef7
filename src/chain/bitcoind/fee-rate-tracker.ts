import { setImmediate as nextTurn } from 'node:timers/promises';
import { type FeeRateBand, feeRateBandsInSteps, type WaitingTransaction } from '../../core/mempool/fee-rate-bands.ts';
import type { Txid } from '../../core/outpoint.ts';
import type { FeeRateDistribution } from '../chain-source.ts';
import { satsFromBtc } from '../exact-json.ts';
import type { RpcClient } from './rpc-client.ts';
import { RPC } from './rpc-error.ts';
import { resultOf, resultOrNull } from './rpc-results.ts';

interface EntryAnswer {
  vsize: number;
  fees: { base: string };
  depends: Txid[];
}

const BATCH = 500;
/** Of one answer: a large mempool is gathered over several. */
const GATHERING_MS = 3_000;
const MIN_FRESH_MS = 1_000;
/** An answer serves this many times as long as it took. */
const FRESH_FACTOR = 10;
const MEMPOOL_TIMEOUT_MS = 30_000;

/**
 * Keeps fee, size and parents of what is in the node's mempool, asking only for what is new, and only when someone asks. However many
 * ask, the node answers once a second, and more rarely where that takes long.
 */
export function createFeeRateTracker(rpc: RpcClient): () => Promise<FeeRateDistribution> {
  const waiting = new Map<Txid, WaitingTransaction>();
  let latest: { answer: Promise<FeeRateDistribution>; freshUntil: number } | null = null;

  async function gather(until: number): Promise<boolean> {
    const [outcome] = await rpc.batch([{ method: 'getrawmempool' }], { timeoutMs: MEMPOOL_TIMEOUT_MS });
    const present = new Set(resultOf<Txid[]>(outcome));
    for (const txid of waiting.keys()) if (!present.has(txid)) waiting.delete(txid);
    const missing = [...present].filter((txid) => !waiting.has(txid));
    for (let at = 0; at < missing.length; at += BATCH) {
      if (performance.now() > until) return false;
      const chunk = missing.slice(at, at + BATCH);
      const outcomes = await rpc.batch(
        chunk.map((txid) => ({ method: 'getmempoolentry', params: [txid] })),
        { exact: true, timeoutMs: MEMPOOL_TIMEOUT_MS },
      );
      for (const [index, txid] of chunk.entries()) {
        const entry = resultOrNull<EntryAnswer>(outcomes[index], RPC.invalidAddressOrKey);
        if (entry === null) continue;
        waiting.set(txid, { feeSats: satsFromBtc(entry.fees.base), vsize: entry.vsize, parents: entry.depends });
      }
    }
    return true;
  }

  async function ask(began: number): Promise<FeeRateDistribution> {
    const complete = await gather(began + GATHERING_MS);
    return { bands: await bandsOf(waiting), complete };
  }

  return () => {
    const began = performance.now();
    if (latest !== null && began < latest.freshUntil) return latest.answer;
    const mine = { answer: ask(began), freshUntil: Number.POSITIVE_INFINITY };
    latest = mine;
    mine.answer.then(
      () => {
        const now = performance.now();
        mine.freshUntil = now + Math.max(MIN_FRESH_MS, (now - began) * FRESH_FACTOR);
      },
      () => {
        if (latest === mine) latest = null;
      },
    );
    return mine.answer;
  };
}

async function bandsOf(waiting: ReadonlyMap<Txid, WaitingTransaction>): Promise<FeeRateBand[]> {
  const steps = feeRateBandsInSteps(waiting);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    await nextTurn();
  }
}
