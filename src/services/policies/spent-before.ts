import type { PastSpending, Spent } from '../../core/policies/policy.ts';
import { hoursOfWindow, type WindowAsked } from '../../core/policies/windows.ts';
import type { CountedSum } from '../../store/repositories/counted-sums.ts';
import type { Repositories } from '../../store/store.ts';

/** What is not in the sums yet, and what is and is not to be. */
export interface Besides {
  readonly earlier?: readonly CountedSum[];
  readonly except?: readonly CountedSum[];
}

/** What was counted by a clock that is ahead of this one is spent, too. */
const NO_END = Number.MAX_SAFE_INTEGER;
const NOTHING: Spent = { amountSats: 0n, count: 0 };

const keyOf = (scope: string, subject: string, hours: number): string => `${scope} ${hours} ${subject}`;

/** What `evaluate` needs to know of the past, read at once. */
export async function spentBefore(
  tx: Pick<Repositories, 'spendSums'>,
  accountId: string,
  windows: readonly WindowAsked[],
  at: number,
  { earlier = [], except = [] }: Besides,
): Promise<PastSpending> {
  const pieces = piecesOf(windows, at);
  const totals = pieces.length === 0 ? [] : await tx.spendSums.totals(accountId, pieces);
  const known = new Map<string, Spent>();
  let shorter: Spent = NOTHING;
  pieces.forEach(({ scope, subject, hours, first, last }, index) => {
    if (last === NO_END) shorter = NOTHING;
    const within = (sum: CountedSum) => sum.scope === scope && sum.subject === subject && sum.hour >= first;
    let { amountSats, count } = totals[index]!;
    [amountSats, count] = [amountSats + shorter.amountSats, count + shorter.count];
    shorter = { amountSats, count };
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

/** The windows of a subject from the shortest on, each without the hours of the one before: so that every hour is read once. */
function piecesOf(windows: readonly WindowAsked[], at: number) {
  const asked = windows.map((window) => ({ ...window, first: hoursOfWindow(at, window.hours).first }));
  return [...Map.groupBy(asked, ({ scope, subject }) => `${scope} ${subject}`).values()].flatMap((ofSubject) => {
    const sorted = ofSubject.toSorted((one, other) => other.first - one.first);
    return sorted.map((window, index) => ({ ...window, last: index === 0 ? NO_END : sorted[index - 1]!.first - 1 }));
  });
}
