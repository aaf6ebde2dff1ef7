import type { ChainSource } from '../../chain/chain-source.ts';

export function createFeeService(deps: { chain: Pick<ChainSource, 'estimateFees' | 'mempoolInfo'> }) {
  return {
    /** What the chain source thinks confirms within each target (blocks), in ascending order. Throws `node_unavailable`. */
    async estimates(targets: readonly number[]) {
      const ascending = [...new Set(targets)].sort((a, b) => a - b);
      const [estimated, mempool] = await Promise.all([deps.chain.estimateFees(ascending), deps.chain.mempoolInfo()]);
      const floor = mempool.minFeeRate > mempool.minRelayFeeRate ? mempool.minFeeRate : mempool.minRelayFeeRate;
      return new Map(
        ascending.map((target) => {
          const rate = estimated.get(target) ?? 'unavailable';
          // What the mempool would not take confirms never, whatever the estimator remembers.
          return [target, rate !== 'unavailable' && rate < floor ? floor : rate];
        }),
      );
    },
  };
}

export type FeeService = ReturnType<typeof createFeeService>;
