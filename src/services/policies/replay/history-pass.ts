/**
 * Evaluates rules over an account's payments in the order in which they were decided, with the windows as they were then. It reads pages by an
 * index and keeps rolling sums in memory: no statement per payment.
 */
import type { AccountId } from '../../../core/ids.ts';
import { candidatesOfEach, verdictOfEach } from '../../../core/policies/evaluate-each.ts';
import type { Payee, Policy, Verdict } from '../../../core/policies/policy.ts';
import { payeesAgain, spendingAgain } from '../../../core/policies/recorded-spending.ts';
import { createRollingSums, windowsReach } from '../../../core/policies/rolling-sums.ts';
import { HOUR_MS } from '../../../core/policies/windows.ts';
import { createYielder } from '../../../scheduling/yielder.ts';
import type { GroupRecord } from '../../../store/repositories/groups.ts';
import type { PastPayment, SpendChange } from '../../../store/repositories/spend-history.ts';
import type { Repositories } from '../../../store/store.ts';
import { type EntriesOf, looksAtEntries } from '../spending-of.ts';

/** Payments, or what waits, per statement: one may have thousands of payees. */
const PAGE = 50;
const CHANGES = 200;
/** Addresses that are decoded and looked up together. */
const ADDRESSES = 100;
/** Sums of a subject in an hour in memory, some 150 bytes each. */
const MOST_SUMS = 1_000_000;

/** It adds more sums than `mostAdded`. */
export class TooLong extends Error {}
/** The windows add up more than fits in memory. */
export class TooManySums extends Error {}

export interface Judged {
  readonly payment: PastPayment;
  /** What left the account, satoshis. */
  readonly amountSats: bigint;
  /** null: its record does not say what was asked of the rules. */
  readonly verdict: Verdict | null;
}

export interface PassOptions {
  readonly accountId: AccountId;
  readonly policies: readonly Policy[];
  readonly defaultAction: 'allow' | 'deny';
  /** The first and the last place to evaluate. */
  readonly from: number;
  readonly to: number;
}

/** The place to start at, so that the windows are complete at `place`, whose payment was made at the time `at`. */
export async function windowStart(
  read: Pick<Repositories, 'spendHistory'>,
  { accountId, policies }: Pick<PassOptions, 'accountId' | 'policies'>,
  place: number,
  at: number,
): Promise<number> {
  const reach = windowsReachMs(policies);
  return reach === 0 ? place : Math.min(place, await read.spendHistory.placeAt(accountId, at - reach));
}

/** How far back windows look. Clocks of processes differ, and windows consist of whole hours. */
export function windowsReachMs(policies: readonly Policy[]): number {
  const { longest } = windowsReach(policies);
  return longest === 0 ? 0 : (longest + 2) * HOUR_MS;
}

export async function createHistoryPass(
  deps: { read: Repositories; entriesOf: EntriesOf; clock: () => number; mostSums?: number; mostAdded?: number },
  { accountId, policies, defaultAction, from, to }: PassOptions,
  start: number,
) {
  const { read, entriesOf, clock, mostSums = MOST_SUMS, mostAdded = Number.POSITIVE_INFINITY } = deps;
  const { scopes, longest } = windowsReach(policies);
  const sums = createRollingSums(scopes, longest);
  const groupsSince = laterGroups(await read.groups.all(accountId));
  const looks = looksAtEntries({ policies });
  const rest = createYielder();
  let place = start - 1;
  let added = 0;
  /** A payment to thousands has as many sums. */
  function add(counts: PastPayment['counts'], sign: 1 | -1): void {
    added += counts.length;
    if (added > mostAdded) throw new TooLong(`more than ${mostAdded} sums`);
    for (const sum of counts) sums.add(sum, sign);
  }
  for (let [last, full] = [{ until: BigInt(place), waitId: -1n }, scopes.size > 0]; full; await rest()) {
    const page = await read.spendHistory.waiting(accountId, start, last, PAGE);
    for (const { counts } of page) {
      add(counts, 1);
      await rest();
    }
    last = page.at(-1) ?? last;
    full = page.length === PAGE;
  }
  let lastChange: Pick<SpendChange, 'behind' | 'changeId'> = { behind: place, changeId: -1n };

  /** Changes of the sums before these payments, in order. */
  async function* changesBefore(last: number): AsyncGenerator<SpendChange> {
    for (let full = scopes.size > 0; full; ) {
      const page = await read.spendHistory.changes(accountId, lastChange, last - 1, CHANGES);
      for (const change of page) {
        lastChange = change;
        yield change;
      }
      full = page.length === CHANGES;
    }
  }

  /** Current address book entries of payees whose payment did not record them. */
  async function entriesNow(payments: readonly PastPayment[]): Promise<ReadonlyMap<string, Payee['entries']>> {
    const unknown = payments.filter(
      ({ asked, place: at }) => looks && at >= from && asked && asked.entries === undefined,
    );
    const paid = unknown.flatMap(({ asked, counts }) => payeesAgain(asked!, counts));
    const addresses = [...new Set(paid.map(({ address }) => address))].map((address) => ({ address }));
    const found = new Map<string, Payee['entries']>();
    for (let at = 0; at < addresses.length; at += ADDRESSES) {
      const some = await entriesOf(read, accountId, addresses.slice(at, at + ADDRESSES), clock());
      for (const [address, entries] of some) found.set(address, entries);
      await rest();
    }
    return found;
  }

  function judge(
    { asked, counts, walletId, createdAt: at }: PastPayment,
    known: Awaited<ReturnType<typeof entriesNow>>,
  ) {
    if (asked === null) return { amountSats: 0n, verdict: null };
    const spending = spendingAgain(
      asked,
      { walletId, at, payees: payeesAgain(asked, counts) },
      { groups: groupsSince(asked.user, asked.credential, at), entriesOf: (address) => known.get(address) ?? [] },
    );
    const verdict = verdictOfEach(candidatesOfEach(policies, spending, asked.also), defaultAction, sums.past(at));
    return { amountSats: spending.amountSats, verdict };
  }

  async function forget(at: number): Promise<void> {
    while (!sums.forget(at)) await rest();
    if (sums.size() > mostSums) {
      throw new TooManySums(
        `the windows add up more than ${mostSums} hourly sums: use shorter windows per destination`,
      );
    }
  }

  return {
    /** The first place that it evaluates. */
    from,
    /** The last place that was read. */
    place: () => place,
    /** Reads the next page and calls `judged` with each payment in order. */
    async advance(judged: (one: Judged) => void): Promise<void> {
      const payments = await read.spendHistory.payments(accountId, place, to, PAGE);
      const known = await entriesNow(payments);
      const changes = changesBefore(payments.at(-1)?.place ?? 0);
      let change = await changes.next();
      for (const payment of payments) {
        for (; change.done !== true && change.value.behind < payment.place; change = await changes.next())
          add(change.value.counts, change.value.sign);
        if (payment.place >= from) judged({ payment, ...judge(payment, known) });
        add(payment.counts, 1);
        await rest();
      }
      const last = payments.at(-1);
      if (last !== undefined) await forget(last.createdAt);
      place = payments.length < PAGE ? to : last!.place;
    },
  };
}
export type HistoryPass = Awaited<ReturnType<typeof createHistoryPass>>;

/** A payment's record has the groups of its time. Groups that were created later are added with their current members. */
function laterGroups(groups: readonly GroupRecord[]) {
  const byMember = new Map<string, GroupRecord[]>();
  for (const group of groups) {
    for (const member of [...group.userIds, ...group.apiKeyIds, ...group.oauthClientIds])
      byMember.set(member, [...(byMember.get(member) ?? []), group]);
  }
  return (user: string | null, credential: string, at: number): string[] =>
    [...(user === null ? [] : (byMember.get(user) ?? [])), ...(byMember.get(credential) ?? [])]
      .filter(({ createdAt }) => createdAt > at)
      .map(({ groupId }) => groupId);
}
