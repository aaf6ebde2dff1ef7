import { type FeeRate, feeRateOf } from '../../core/fee-rate.ts';
import { chunksByFeeRate } from './block-template.ts';
import { descendantsOf, type Mempool, type PooledTransaction } from './mempool.ts';

export interface RelayPolicy {
  readonly minRelayFeeRate: FeeRate;
  readonly incrementalRelayFeeRate: FeeRate;
}

/** Roughly what Bitcoin Core's 300 MB of memory hold. */
const DEFAULT_MAX_VBYTES = 100_000_000;
const HALF_LIFE_MS = 12 * 3600 * 1000;

/** The mempool's size limit and the minimum feerate that rises when it is reached and halves with time (Bitcoin Core's rolling minimum). */
export function createMempoolLimits(mempool: Mempool, policy: RelayPolicy, clock: () => number) {
  let maxVbytes = DEFAULT_MAX_VBYTES;
  let fixedFloor = 0n;
  let rolling = { rate: 0n, since: 0 };

  function rollingRate(): bigint {
    if (rolling.rate === 0n) return 0n;
    const share = mempool.vbytes < maxVbytes / 4 ? 4 : mempool.vbytes < maxVbytes / 2 ? 2 : 1;
    const halvings = Math.floor(Math.max(clock() - rolling.since, 0) / (HALF_LIFE_MS / share));
    const rate = rolling.rate >> BigInt(Math.min(halvings, 64));
    return rate < policy.incrementalRelayFeeRate / 2n ? 0n : rate;
  }

  return {
    floors() {
      const highest = [policy.minRelayFeeRate, fixedFloor, rollingRate()].reduce((a, b) => (b > a ? b : a));
      return { ...policy, minFeeRate: highest as FeeRate };
    },
    /** What must go for the mempool to keep to its size, cheapest first; raises the minimum feerate accordingly. */
    overflow() {
      const leaving = new Set<PooledTransaction>();
      let vbytes = mempool.vbytes;
      if (vbytes <= maxVbytes) return [];
      for (const chunk of chunksByFeeRate(mempool).reverse()) {
        if (vbytes <= maxVbytes) break;
        for (const entry of chunk.entries)
          for (const descendant of descendantsOf(entry)) {
            if (leaving.has(descendant)) continue;
            leaving.add(descendant);
            vbytes -= descendant.tx.vsize;
          }
        const rate = feeRateOf(chunk.feeSats, chunk.vsize) + policy.incrementalRelayFeeRate;
        if (rate > rollingRate()) rolling = { rate, since: clock() };
      }
      return [...leaving];
    },
    set(limits: { maxVbytes?: number; minFeeRate?: FeeRate }) {
      maxVbytes = limits.maxVbytes ?? maxVbytes;
      fixedFloor = limits.minFeeRate ?? fixedFloor;
    },
  };
}

export type MempoolLimits = ReturnType<typeof createMempoolLimits>;
