import { DomainError } from '../../core/errors.ts';
import type { FeeChoice, FeeRate } from '../../core/fee-rate.ts';
import type { MempoolReads } from '../blockchain/mempool-reads.ts';
import type { FeeService } from './fee-service.ts';

/** The feerate that a request's choice comes to now. Throws `node_unavailable`, and `unavailable` where the source has no estimate. */
export type ChooseFeeRate = (choice: FeeChoice) => Promise<FeeRate>;

export function createChooseFeeRate(
  deps: Pick<FeeService, 'estimates'> & { mempool: Pick<MempoolReads, 'fees'> },
): ChooseFeeRate {
  return async (choice) => {
    if (typeof choice === 'bigint') return choice;
    const rates =
      choice === 'auto' ? await automatic(deps.mempool) : [(await deps.estimates([choice.blocks])).get(choice.blocks)];
    const [highest] = rates.filter(isRate).sort((one, other) => (one < other ? 1 : -1));
    if (highest !== undefined) return highest;
    const wanted = choice === 'auto' ? 'auto' : `${choice.blocks} blocks`;
    const other = choice === 'auto' ? '' : ', or "auto"';
    throw new DomainError(
      'unavailable',
      `the node has seen too little to estimate a feerate for "${wanted}": give a number in sat/vB${other}`,
      { field: 'fee_rate' },
    );
  };
}

/** The mempool may be empty because the node has just started: then the estimator remembers what was paid before. */
async function automatic(mempool: Pick<MempoolReads, 'fees'>): Promise<(FeeRate | 'unavailable' | undefined)[]> {
  const { recommended, estimates } = await mempool.fees();
  return [recommended.halfHour, estimates.get(3)];
}

const isRate = (rate: FeeRate | 'unavailable' | undefined): rate is FeeRate => typeof rate === 'bigint';
