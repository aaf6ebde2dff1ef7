import { HOUR_MS, hoursOfWindow, MAX_WINDOW_HOURS } from '../../core/policies/windows.ts';
import type { Store } from '../../store/store.ts';

/**
 * Hours that no window reaches any more, whose payments the usage of credentials takes over; answers how many sums there were. An hour more is
 * kept: clocks of processes differ.
 */
export const sweepSpendSums = ({ store, clock }: { store: Store; clock: () => number }): Promise<number> =>
  store.write(async (tx) => {
    const { first } = hoursOfWindow(clock() - HOUR_MS, MAX_WINDOW_HOURS);
    await tx.usage.takeOver(first);
    return tx.spendSums.deleteBefore(first);
  });
