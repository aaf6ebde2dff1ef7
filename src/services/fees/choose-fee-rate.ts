import { DomainError } from '../../core/errors.ts';
import { type FeeChoice, type FeeRate, formatFeeRate } from '../../core/fee-rate.ts';
import type { MempoolReads } from '../blockchain/mempool-reads.ts';
import type { FeeService } from './index.ts';

/** The feerate that a request's choice comes to now. Throws `node_unavailable`, and `no_fee_estimate` where the source has none. */
export type ChooseFeeRate = (choice: FeeChoice) => Promise<FeeRate>;

export function createChooseFeeRate(
  deps: Pick<FeeService, 'estimates'> & { mempool: Pick<MempoolReads, 'fees'> },
): ChooseFeeRate {
  return async (choice) => {
    if (typeof choice === 'bigint') return choice;
    if (choice !== 'auto') {
      const rate = (await deps.estimates([choice.blocks])).get(choice.blocks);
      if (isRate(rate)) return rate;
    }
    const [automatically] = (await automatic(deps.mempool)).filter(isRate).sort((one, other) => (one < other ? 1 : -1));
    if (choice === 'auto' && automatically !== undefined) return automatically;
    const wanted = choice === 'auto' ? '"auto"' : `"${choice.blocks} blocks"`;
    const other = automatically && `, or "auto", which comes to ${formatFeeRate(automatically)} sat/vB now`;
    throw new DomainError(
      'no_fee_estimate',
      `the node has seen too little yet to estimate a feerate for ${wanted}: give a number in sat/vB${other ?? ''}`,
      { field: 'fee_rate' },
    );
  };
}

/** The mempool may be empty because the node has just started: then the estimator remembers what was paid before. */
async function automatic(mempool: Pick<MempoolReads, 'fees'>): Promise<(FeeRate | 'unavailable' | undefined)[]> {
  const { recommended, estimates } = await mempool.fees();
  return [recommended.halfHour, estimates[3]];
}

const isRate = (rate: FeeRate | 'unavailable' | undefined): rate is FeeRate => typeof rate === 'bigint';
