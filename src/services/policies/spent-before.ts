import type { PastSpending, Spent } from '../../core/policies/policy.ts';
import { hoursOfWindow, type WindowAsked } from '../../core/policies/windows.ts';
import type { CountedSum } from '../../store/repositories/counted-sums.ts';
import type { Repositories } from '../../store/store.ts';

/** What is not in the sums yet, and what is and is not to be. */
export interface Besides {
  readonly earlier?: readonly CountedSum[];
  readonly except?: readonly CountedSum[];
}

const keyOf = (scope: string, subject: string, hours: number): string => `${scope} ${hours} ${subject}`;

/** What `evaluate` needs to know of the past, read at once. */
export async function spentBefore(
  tx: Pick<Repositories, 'spendSums'>,
  accountId: string,
  windows: readonly WindowAsked[],
  at: number,
  { earlier = [], except = [] }: Besides,
): Promise<PastSpending> {
  const asked = windows.map((window) => ({ ...window, ...hoursOfWindow(at, window.hours) }));
  const totals = asked.length === 0 ? [] : await tx.spendSums.totals(accountId, asked);
  const known = new Map<string, Spent>();
  asked.forEach(({ scope, subject, hours, first, last }, index) => {
    const within = (sum: CountedSum) =>
      sum.scope === scope && sum.subject === subject && sum.hour >= first && sum.hour <= last;
    let { amountSats, count } = totals[index]!;
    for (const sum of earlier.filter(within)) [amountSats, count] = [amountSats + sum.amountSats, count + sum.count];
    for (const sum of except.filter(within)) [amountSats, count] = [amountSats - sum.amountSats, count - sum.count];
    known.set(keyOf(scope, subject, hours), { amountSats, count });
  });
  return (scope, subject, hours) => {
    const spent = known.get(keyOf(scope, subject, hours));
    if (!spent) throw new Error(`the sum of ${scope} ${subject} over ${hours} hours was not read`);
    return spent;
  };
}
