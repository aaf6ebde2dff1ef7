/** The sums that windows need, and what one operation adds to them. */
import type { Candidates } from './evaluate.ts';
import { type CountedSum, type Policy, type Spending, voiceOf, type WindowScope } from './policy.ts';
import { amountsByAddress } from './spending-index.ts';

export const HOUR_MS = 3_600_000;
/** 31 days. */
export const MAX_WINDOW_HOURS = 744;

/** The hour of what waits to be committed: in every window (migrations/0039). */
export const WAITING_HOUR = Number.MAX_SAFE_INTEGER;

/** What waits to be committed, whenever what it replaces was. */
export const waiting = (counts: readonly CountedSum[]): CountedSum[] =>
  counts.map((sum) => ({ ...sum, hour: WAITING_HOUR }));

/** What waited, committed at a time. */
export const committedAt = (counts: readonly CountedSum[], at: number): CountedSum[] =>
  counts.map((sum) => (sum.hour === WAITING_HOUR ? { ...sum, hour: hourOf(at) } : sum));

const hourOf = (at: number): number => Math.floor(at / HOUR_MS);

/** Sums of the past: of each subject over each of the lengths. The account's subject is ''. */
export interface WindowsAsked {
  readonly scope: WindowScope;
  readonly subjects: readonly string[];
  readonly hours: readonly number[];
}

/** The whole UTC hours (epoch hours) that a window of so many hours covers: never less than the window. */
export function hoursOfWindow(at: number, hours: number): { readonly first: number; readonly last: number } {
  const last = hourOf(at);
  return { first: last - hours, last };
}

/**
 * What one operation adds to the sums: of its hour, or where it waits, of WAITING_HOUR; nothing if it pays nobody outside the account. No
 * window is of the scope `credential`: the usage of credentials (services/usage) reads it.
 */
export function countsOf(spending: Spending, waits = false): CountedSum[] {
  const { amountSats, payees, walletId, initiator, at } = spending;
  if (amountSats === 0n && payees.length === 0) return [];
  const hour = waits ? WAITING_HOUR : hourOf(at);
  const sum = (scope: WindowScope | 'credential', subject: string, sats = amountSats): CountedSum => ({
    ...{ scope, subject, hour, amountSats: sats, count: 1 },
  });
  return [
    sum('account', ''),
    ...(walletId === null ? [] : [sum('wallet', walletId)]),
    sum('initiator', voiceOf(initiator)),
    ...[...amountsByAddress(payees)].map(([address, paid]) => sum('destination', address, paid)),
    sum('credential', initiator.credentialId),
  ];
}

/** The sums that must be read before the verdict. The candidates are one operation's, which may be two, or of two wallets. */
export function windowsOf(candidates: readonly Candidates[]): WindowsAsked[] {
  const lengths = new Map<WindowScope, Set<number>>();
  for (const { when } of candidates.flatMap(({ rules }) => rules.map(({ policy }) => policy))) {
    if (when.window === undefined) continue;
    const { per, hours } = when.window;
    lengths.set(per, (lengths.get(per) ?? new Set()).add(hours));
  }
  return [...lengths].map(([scope, hours]) => {
    const subjects = new Set(candidates.flatMap((one) => subjectsOf(scope, one)));
    return { scope, subjects: [...subjects], hours: [...hours] };
  });
}

function subjectsOf(scope: WindowScope, { spending: { walletId, initiator }, index }: Candidates): string[] {
  if (scope === 'account') return [''];
  if (scope === 'wallet') return walletId === null ? [] : [walletId];
  return scope === 'initiator' ? [voiceOf(initiator)] : [...index.amounts.keys()];
}

/** At most: the sums of hundreds of payees may be read over each of them. */
const MAX_LENGTHS_PER_DESTINATION = 10;

/** Why these rules cannot be in force together; null where they can. */
export function tooManyLengths(policies: readonly Pick<Policy, 'enabled' | 'when'>[]): string | null {
  const lengths = new Set(
    policies.flatMap(({ enabled, when: { window } }) =>
      enabled && window?.per === 'destination' ? [window.hours] : [],
    ),
  );
  if (lengths.size <= MAX_LENGTHS_PER_DESTINATION) return null;
  return `windows per destination have at most ${MAX_LENGTHS_PER_DESTINATION} different lengths in all rules that are enabled, not ${lengths.size}`;
}
