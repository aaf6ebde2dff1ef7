/** The sums that windows need, and what one operation adds to them. */
import { matchesBesideWindow } from './match.ts';
import { payeesOf } from './payee-index.ts';
import { initiatorSubject, type Policy, type Spending, type Spent, type WindowScope } from './policy.ts';

export const HOUR_MS = 3_600_000;
/** 31 days. */
export const MAX_WINDOW_HOURS = 744;

/** One sum of the past: `subject` is '' for the account. */
export interface WindowAsked {
  readonly scope: WindowScope;
  readonly subject: string;
  readonly hours: number;
}

/** The whole UTC hours (epoch hours) that a window of so many hours covers: never less than the window. */
export function hoursOfWindow(at: number, hours: number): { readonly first: number; readonly last: number } {
  const last = Math.floor(at / HOUR_MS);
  return { first: last - hours, last };
}

/** What one operation adds to the sums of its hour; nothing if it pays nobody outside the account. */
export interface SpendingSum extends Spent {
  readonly scope: WindowScope;
  readonly subject: string;
}

export function sumsOf(spending: Spending): SpendingSum[] {
  const { amountSats, payees, walletId, initiator } = spending;
  if (amountSats === 0n && payees.length === 0) return [];
  const own = { amountSats, count: 1 };
  return [
    { scope: 'account', subject: '', ...own },
    ...(walletId === null ? [] : [{ scope: 'wallet' as const, subject: walletId, ...own }]),
    { scope: 'initiator', subject: initiatorSubject(initiator), ...own },
    ...[...payeesOf(spending).amounts].map(([subject, paid]) => ({
      scope: 'destination' as const,
      subject,
      amountSats: paid,
      count: 1,
    })),
  ];
}

/** The sums that must be read before `evaluate`: each once, and only for rules whose other conditions all match. */
export function windowsOf(policies: readonly Policy[], spending: Spending): WindowAsked[] {
  const payees = payeesOf(spending);
  const asked = new Map<string, WindowAsked>();
  const done = new Set<string>();
  for (const policy of policies) {
    const { window } = policy.when;
    if (!policy.enabled || window === undefined || done.has(`${window.per} ${window.hours}`)) continue;
    if (matchesBesideWindow(policy, spending, payees) === null) continue;
    done.add(`${window.per} ${window.hours}`);
    for (const subject of subjectsOf(window.per, spending, payees.amounts))
      asked.set(`${window.per} ${window.hours} ${subject}`, { scope: window.per, subject, hours: window.hours });
  }
  return [...asked.values()];
}

function subjectsOf(scope: WindowScope, spending: Spending, amounts: ReadonlyMap<string, bigint>): Iterable<string> {
  if (scope === 'account') return [''];
  if (scope === 'wallet') return spending.walletId === null ? [] : [spending.walletId];
  return scope === 'initiator' ? [initiatorSubject(spending.initiator)] : amounts.keys();
}
