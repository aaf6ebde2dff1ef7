import { HOUR_MS, hoursOfWindow, MAX_WINDOW_HOURS, WAITING_HOUR } from '../../core/policies/windows.ts';
import type { Store } from '../../store/store.ts';

/**
 * Deletes hours that no window reaches any more, after their payments were added to the usage of credentials, and sums of what waits no more;
 * returns the number of sums. One more hour is kept, because clocks of processes differ.
 */
export const sweepSpendSums = ({ store, clock }: { store: Store; clock: () => number }): Promise<number> =>
  store.write(async (tx) => {
    const { first } = hoursOfWindow(clock() - HOUR_MS, MAX_WINDOW_HOURS);
    await tx.usage.takeOver(first);
    return tx.spendSums.deleteBefore(first, WAITING_HOUR);
  });
