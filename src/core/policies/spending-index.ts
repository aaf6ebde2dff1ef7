/** An operation's payees and the groups of its initiator, indexed once for all rules. */
import type { PolicyConditions, Spending } from './policy.ts';

/** Payees with one entry or tag. */
interface PayeeSet {
  /** The first one's. */
  readonly address: string;
  /** Their places in the list, ascending. */
  readonly places: number[];
  /** The same, a bit for each payee: only of sets with more members than it has words. */
  bits?: Uint32Array;
}

export interface NamedPayees {
  readonly byEntry: ReadonlyMap<string, PayeeSet>;
  readonly byTag: ReadonlyMap<string, PayeeSet>;
  /** In no effective entry. */
  readonly outside: PayeeSet | null;
}

export interface SpendingIndex {
  readonly list: Spending['payees'];
  /** What each address gets, satoshis. */
  readonly amounts: ReadonlyMap<string, bigint>;
  readonly named: NamedPayees;
  /** By effective entries alone: what a rule that allows goes by. */
  readonly effective: NamedPayees;
  /** Where each of the initiator's groups is in their list. */
  readonly groupPlaces: ReadonlyMap<string, number>;
}

export function amountsByAddress(payees: Spending['payees']): Map<string, bigint> {
  const amounts = new Map<string, bigint>();
  for (const { address, amountSats } of payees) amounts.set(address, (amounts.get(address) ?? 0n) + amountSats);
  return amounts;
}

export function indexed({ payees, initiator: { groups } }: Spending): SpendingIndex {
  const named = namedPayees(payees, true);
  const pending = payees.some(({ entries }) => entries.some((entry) => entry.pending));
  const groupPlaces = new Map(groups.map((group, place) => [group, place]));
  const effective = pending ? namedPayees(payees, false) : named;
  return { list: payees, amounts: amountsByAddress(payees), named, effective, groupPlaces };
}

function namedPayees(payees: Spending['payees'], withPending: boolean): NamedPayees {
  const [byEntry, byTag] = [new Map<string, PayeeSet>(), new Map<string, PayeeSet>()];
  let outside: PayeeSet | null = null;
  for (const [place, { address, entries }] of payees.entries()) {
    const add = (sets: Map<string, PayeeSet>, name: string) => {
      const set = sets.get(name);
      if (set === undefined) sets.set(name, { address, places: [place] });
      else if (set.places.at(-1) !== place) set.places.push(place);
    };
    if (entries.every(({ pending }) => pending)) {
      outside ??= { address, places: [] };
      outside.places.push(place);
    }
    for (const { entryId, tags, pending } of entries) {
      if (pending && !withPending) continue;
      add(byEntry, entryId);
      for (const tag of tags) add(byTag, tag);
    }
  }
  return { byEntry, byTag, outside };
}

/** Whether the names of effective entries together have every payee. Each name takes at most a step for 32 payees. */
export function namesAll(
  { entries = [], tags = [], outside }: NonNullable<PolicyConditions['destinations']>,
  { list, effective: { byEntry, byTag, outside: others } }: SpendingIndex,
): boolean {
  const named = new Uint32Array(Math.ceil(list.length / 32));
  for (const entry of entries) unite(named, byEntry.get(entry));
  for (const tag of tags) unite(named, byTag.get(tag));
  if (outside) unite(named, others);
  return list.every((_, place) => ((named[place >>> 5]! >>> (place & 31)) & 1) === 1);
}

function unite(named: Uint32Array, set: PayeeSet | null | undefined): void {
  if (!set) return;
  if (set.places.length <= named.length) {
    mark(named, set.places);
    return;
  }
  if (set.bits === undefined) {
    set.bits = new Uint32Array(named.length);
    mark(set.bits, set.places);
  }
  for (let word = 0; word < named.length; word++) named[word]! |= set.bits[word]!;
}

function mark(bits: Uint32Array, places: readonly number[]): void {
  for (const place of places) bits[place >>> 5]! |= 1 << (place & 31);
}
