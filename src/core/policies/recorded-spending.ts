/** What was asked of the rules for a payment, stored with its record so that other rules can be evaluated later (services/policies/replay). */
import type { Role } from '../access.ts';
import type { CountedSum, Payee, Spending, SpendingOperation } from './policy.ts';

/** JSON. Payees and amounts are not repeated: they are in `counts`. */
export interface RecordedSpending {
  readonly operation: SpendingOperation;
  /** The second operation of a payment that is two. */
  readonly also?: SpendingOperation;
  readonly user: string | null;
  readonly credential: string;
  readonly role: Role;
  readonly groups?: readonly string[];
  /** Satoshis. */
  readonly fee: string;
  /** How many of its sums, the first ones, are inherited from what it replaces. */
  readonly inherited?: number;
  /** `counts` as stored, once they were moved to the sums for good: an abandoned PSBT that others can still complete. */
  readonly kept?: string;
  /** Address book entries by address, if rules looked at payees. */
  readonly entries?: Readonly<Record<string, Payee['entries']>>;
}

export function recordedSpending(
  { operation, initiator, feeSats, payees }: Spending,
  { also, inherited, looked }: { also: SpendingOperation | undefined; inherited: number; looked: boolean },
): RecordedSpending {
  const { userId: user, credentialId: credential, role, groups } = initiator;
  const known = payees.filter(({ entries }) => entries.length > 0);
  return {
    ...{ operation, ...(also === undefined ? {} : { also }), user, credential, role },
    ...(groups.length > 0 ? { groups } : {}),
    fee: String(feeSats),
    ...(inherited > 0 ? { inherited } : {}),
    ...(looked ? { entries: Object.fromEntries(known.map(({ address, entries }) => [address, entries])) } : {}),
  };
}

/** The addresses outside the account that it paid, with their amounts. */
export const payeesAgain = (
  { inherited = 0 }: Pick<RecordedSpending, 'inherited'>,
  counts: readonly Pick<CountedSum, 'scope' | 'subject' | 'amountSats'>[],
): Omit<Payee, 'entries'>[] =>
  counts
    .slice(inherited)
    .filter(({ scope }) => scope === 'destination')
    .map(({ subject: address, amountSats }) => ({ address, amountSats }));

/** `groups`: in addition to those on record; `entriesOf`: of an address, if the record has none. */
export function spendingAgain(
  recorded: RecordedSpending,
  { walletId, at, payees }: Pick<Spending, 'walletId' | 'at'> & { payees: readonly Omit<Payee, 'entries'>[] },
  known: { groups: readonly string[]; entriesOf(address: string): Payee['entries'] },
): Spending {
  const { operation, user: userId, credential: credentialId, role, groups = [], fee, entries } = recorded;
  const entriesOf = (address: string) => (entries === undefined ? known.entriesOf(address) : (entries[address] ?? []));
  return {
    ...{ operation, walletId, asset: 'BTC', at, feeSats: BigInt(fee) },
    initiator: { userId, credentialId, role, groups: [...new Set([...groups, ...known.groups])] },
    amountSats: payees.reduce((sum, { amountSats }) => sum + amountSats, 0n),
    payees: payees.map((payee) => ({ ...payee, entries: entriesOf(payee.address) })),
  };
}
