import type { AccountId } from '../../core/ids.ts';
import type { CountedSum, PastSpending, Spent } from '../../core/policies/policy.ts';
import { hoursOfWindow, type WindowsAsked } from '../../core/policies/windows.ts';
import { createYielder } from '../../scheduling/yielder.ts';
import type { Repositories } from '../../store/store.ts';

/** Corrections of the stored sums: what is missing from them, and what must not count. */
export interface Besides {
  readonly earlier?: readonly CountedSum[];
  readonly except?: readonly CountedSum[];
}

/** Includes sums from a process whose clock is ahead. */
const NO_END = Number.MAX_SAFE_INTEGER;
/** Subjects whose sums one statement reads, up to 745 hours of each: a payment may have hundreds of payees. */
const SUBJECTS_AT_ONCE = 25;

const keyOf = (scope: string, subject: string): string => `${scope} ${subject}`;

/** What the verdict needs to know of the past. */
export async function spentBefore(
  tx: Pick<Repositories, 'spendSums'>,
  accountId: AccountId,
  windows: readonly WindowsAsked[],
  at: number,
  { earlier = [], except = [] }: Besides,
): Promise<PastSpending> {
  const asked = windows.flatMap(({ scope, subjects, hours }) => {
    const pieces = piecesOf(hours, at);
    return subjects.map((subject) => ({ scope, subject, pieces }));
  });
  const besides = Map.groupBy([...earlier, ...except.map(negated)], ({ scope, subject }) => keyOf(scope, subject));
  const known = new Map<string, ReadonlyMap<number, Spent>>();
  const rest = createYielder();
  for (let from = 0; from < asked.length; from += SUBJECTS_AT_ONCE) {
    if (from > 0) await rest();
    const some = asked.slice(from, from + SUBJECTS_AT_ONCE);
    const sums = some.flatMap(({ scope, subject, pieces }) => pieces.map((piece) => ({ ...piece, scope, subject })));
    const totals = await tx.spendSums.totals(accountId, sums);
    let read = 0;
    for (const { scope, subject, pieces } of some) {
      const key = keyOf(scope, subject);
      known.set(key, windowsFrom(pieces, totals.slice(read, read + pieces.length), besides.get(key) ?? []));
      read += pieces.length;
    }
  }
  return (scope, subject, hours) => {
    const spent = known.get(keyOf(scope, subject))?.get(hours);
    if (!spent) throw new Error(`the sum of ${scope} ${subject} over ${hours} hours was not read`);
    return spent;
  };
}

interface Piece {
  /** The length of the window that ends with it. */
  readonly length: number;
  readonly first: number;
  readonly last: number;
}

/** Windows from the shortest on, each without the hours of the one before: so that every hour is read once. */
function piecesOf(hours: readonly number[], at: number): Piece[] {
  let last = NO_END;
  return hours
    .toSorted((one, other) => one - other)
    .map((length) => {
      const { first } = hoursOfWindow(at, length);
      const piece = { length, first, last };
      last = first - 1;
      return piece;
    });
}

/** By their length. `totals`: of the pieces, in that order. */
function windowsFrom(pieces: readonly Piece[], totals: readonly Spent[], besides: readonly CountedSum[]) {
  let inDatabase: Spent = { amountSats: 0n, count: 0 };
  return new Map(
    pieces.map(({ length, first }, index): [number, Spent] => {
      inDatabase = plus(inDatabase, totals[index]!);
      return [length, besides.filter(({ hour }) => hour >= first).reduce(plus, inDatabase)];
    }),
  );
}

const plus = (one: Spent, other: Spent): Spent => ({
  amountSats: one.amountSats + other.amountSats,
  count: one.count + other.count,
});

const negated = (sum: CountedSum): CountedSum => ({ ...sum, amountSats: -sum.amountSats, count: -sum.count });
