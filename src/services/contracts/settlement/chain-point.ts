import type { Repositories } from '../../../store/store.ts';
import type { ChainPoint } from '../terms/locktimes.ts';

/** Where the followed chain stands: what it has not followed yet counts as not there. */
export async function followedPoint(read: Pick<Repositories, 'ledger'>): Promise<ChainPoint> {
  const tip = await read.ledger.tip();
  return tip ?? { height: 0, medianTime: 0 };
}
