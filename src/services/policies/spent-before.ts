import type { PastSpending, Spent } from '../../core/policies/policy.ts';
import { hoursOfWindow, type WindowAsked } from '../../core/policies/windows.ts';
import type { CountedSum } from '../../store/repositories/counted-sums.ts';
import type { Repositories } from '../../store/store.ts';

/** What is not in the sums yet, and what is and is not to be. */
export interface Besides {
  readonly earlier?: readonly CountedSum[];
  readonly except?: readonly CountedSum[];
}

const NO_END = Number.MAX_SAFE_INTEGER;

const keyOf = (scope: string, subject: string, hours: number): string => `${scope} ${hours} ${subject}`;

/** What `evaluate` needs to know of the past, read at once. */
export async function spentBefore(
  tx: Pick<Repositories, 'spendSums'>,
  accountId: string,
  windows: readonly WindowAsked[],
  at: number,
  { earlier = [], except = [] }: Besides,
): Promise<PastSpending> {
  // What was counted by a clock that is ahead of this one is spent, too.
  const asked = windows.map((window) => ({ ...window, first: hoursOfWindow(at, window.hours).first, last: NO_END }));
  const totals = asked.length === 0 ? [] : await tx.spendSums.totals(accountId, asked);
  const known = new Map<string, Spent>();
  asked.forEach(({ scope, subject, hours, first }, index) => {
    const within = (sum: CountedSum) => sum.scope === scope && sum.subject === subject && sum.hour >= first;
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
