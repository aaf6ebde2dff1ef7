/** The mempool of the chain source: the same for every account, and asked about once a second however many ask here. */
import type { ChainSource, FeeRateDistribution } from '../../chain/chain-source.ts';
import { DomainError } from '../../core/errors.ts';
import { feeHistogram } from '../../core/mempool/fee-histogram.ts';
import { recommendedFees } from '../../core/mempool/recommended-fees.ts';
import type { Txid } from '../../core/outpoint.ts';
import { sharedAnswer } from './shared-answer.ts';

const TARGETS: readonly number[] = [1, 2, 3, 6, 12, 24, 144, 504, 1008];

export function createMempoolReads(deps: {
  chain: Pick<ChainSource, 'mempoolInfo' | 'feeRateDistribution' | 'mempoolEntry' | 'mempoolTxids' | 'estimateFees'>;
  clock: () => number;
}) {
  const { chain, clock } = deps;
  const info = sharedAnswer(() => chain.mempoolInfo(), clock);
  const distribution = sharedAnswer(() => chain.feeRateDistribution(), clock);
  const txids = sharedAnswer(() => chain.mempoolTxids(), clock);
  const estimates = sharedAnswer(() => chain.estimateFees(TARGETS), clock);
  const bandsOf = ({ bands, complete }: FeeRateDistribution) => (complete ? bands : null);

  return {
    /** Throws `node_unavailable`. */
    async summary() {
      const [now, waiting] = await Promise.all([info(), distribution()]);
      const bands = bandsOf(waiting);
      return { ...now, histogram: bands && feeHistogram(bands) };
    },
    /** Throws `not_found` for what is not in the mempool. */
    async entry(txid: Txid) {
      const entry = await chain.mempoolEntry(txid);
      if (entry === null)
        throw new DomainError('not_found', 'this transaction is not in the mempool', { field: 'txid' });
      return entry;
    },
    /** In the source's order. */
    txids,
    async fees() {
      const [now, waiting, estimated] = await Promise.all([info(), distribution(), estimates()]);
      const floors =
        now.floorsAssumed === true
          ? null
          : { minimum: now.minFeeRate, relay: now.minRelayFeeRate, incremental: now.incrementalRelayFeeRate };
      const estimate = (target: number) => {
        const rate = estimated.get(target) ?? 'unavailable';
        // What the mempool would not take confirms never, whatever the estimator remembers.
        return floors !== null && rate !== 'unavailable' && rate < floors.minimum ? floors.minimum : rate;
      };
      return {
        recommended: recommendedFees({ bands: bandsOf(waiting), minimum: floors?.minimum ?? null, estimate }),
        estimates: Object.fromEntries(TARGETS.map((target) => [target, estimate(target)])),
        floors,
      };
    },
  };
}

export type MempoolReads = ReturnType<typeof createMempoolReads>;
