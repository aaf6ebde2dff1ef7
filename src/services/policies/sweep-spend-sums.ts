import { HOUR_MS, hoursOfWindow, MAX_WINDOW_HOURS } from '../../core/policies/windows.ts';
import type { Store } from '../../store/store.ts';

/** Hours that no window reaches any more; answers how many sums there were. An hour more is kept: clocks of processes differ. */
export const sweepSpendSums = ({ store, clock }: { store: Store; clock: () => number }): Promise<number> =>
  store.write((tx) => tx.spendSums.deleteBefore(hoursOfWindow(clock() - HOUR_MS, MAX_WINDOW_HOURS).first));
