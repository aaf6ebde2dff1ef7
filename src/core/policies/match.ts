/** Whether a rule's conditions match, and why. */
import { formatBtc } from '../amount.ts';
import { withinHours } from './hours.ts';
import {
  type PastSpending,
  type Policy,
  type PolicyConditions,
  type Spending,
  voiceOf,
  type WindowScope,
} from './policy.ts';
import { type NamedPayees, namesAll, type SpendingIndex } from './spending-index.ts';

/** By the condition's name on the wire: what made it match. */
export type Matched = Record<string, string>;

/** The highest sum in a window's scope; for destinations, of one payee. null if there is no payee. */
export interface WindowFigures {
  readonly amount: { readonly subject: string; readonly sats: bigint };
  readonly count: { readonly subject: string; readonly times: number };
}

/** The figures of each window, including this operation, computed once for all rules. */
export function windowFigures(spending: Spending, { amounts }: SpendingIndex, past: PastSpending) {
  const known = new Map<string, WindowFigures | null>();
  const adds = spending.amountSats > 0n || spending.payees.length > 0 ? 1 : 0;

  function figures(scope: WindowScope, hours: number): WindowFigures | null {
    if (scope === 'destination') return ofPayees(hours);
    const subject = { account: '', wallet: spending.walletId, initiator: voiceOf(spending.initiator) }[scope];
    if (subject === null) return null;
    const spent = past(scope, subject, hours);
    return {
      amount: { subject, sats: spent.amountSats + spending.amountSats },
      count: { subject, times: spent.count + adds },
    };
  }

  function ofPayees(hours: number): WindowFigures | null {
    let [amount, count] = [
      { subject: '', sats: -1n },
      { subject: '', times: -1 },
    ];
    for (const [subject, paid] of amounts) {
      const spent = past('destination', subject, hours);
      if (spent.amountSats + paid > amount.sats) amount = { subject, sats: spent.amountSats + paid };
      if (spent.count + 1 > count.times) count = { subject, times: spent.count + 1 };
    }
    return amounts.size === 0 ? null : { amount, count };
  }

  return (scope: WindowScope, hours: number): WindowFigures | null => {
    const key = `${scope} ${hours}`;
    const kept = known.get(key);
    if (kept !== undefined) return kept;
    const made = figures(scope, hours);
    known.set(key, made);
    return made;
  };
}

/** Why all conditions match but for the window, which needs the earlier spending; null if one does not. */
export function matchesBesideWindow({ when, then }: Policy, spending: Spending, index: SpendingIndex): Matched | null {
  const matched: Matched = {};
  /** True if the condition is absent, or if `held` returns why it matches. */
  function holds<T>(name: string, condition: T | undefined, held: (condition: T) => string | null): boolean {
    if (condition === undefined) return true;
    const text = held(condition);
    if (text !== null) matched[name] = text;
    return text !== null;
  }
  const { operation, walletId, asset, amountSats } = spending;
  const assets = when.assets ?? BITCOIN;
  const all =
    assets.includes(asset) &&
    holds('operations', when.operations, (named) => (named.includes(operation) ? operation : null)) &&
    holds('wallets', when.wallets, (named) => (walletId !== null && named.includes(walletId) ? walletId : null)) &&
    holds('assets', when.assets, () => asset) &&
    holds('initiators', when.initiators, (named) => initiatorOf(named, spending.initiator, index)) &&
    holds('destinations', when.destinations, (named) => {
      if (then.action !== 'allow') return destinationOf(named, index.named);
      // A rule that allows one payee does not allow the other payees of the same transaction.
      return namesAll(named, index) ? destinationOf(named, index.effective) : null;
    }) &&
    holds('screening', when.screening, (named) => listedOn(named, spending)) &&
    holds('amount_over', when.amountOverSats, (bound) => over(amountSats, bound)) &&
    holds('fee_over', when.feeOver, (bounds) => feeOver(bounds, spending)) &&
    holds('hours', when.hours, (hours) => withinHours(hours, spending.at));
  return all ? matched : null;
}

const BITCOIN = ['BTC'];
type Given<K extends keyof PolicyConditions> = NonNullable<PolicyConditions[K]>;

const over = (amountSats: bigint, boundSats: bigint): string | null =>
  amountSats > boundSats ? `${formatBtc(amountSats)} above ${formatBtc(boundSats)}` : null;

function initiatorOf(
  named: Given<'initiators'>,
  { userId, credentialId, role, groups }: Spending['initiator'],
  { groupPlaces }: SpendingIndex,
) {
  if (named.roles?.includes(role)) return `role ${role}`;
  if (userId !== null && named.userIds?.includes(userId)) return userId;
  // A rotated key keeps the id of the first one as its voice.
  const key = [credentialId, userId].find((id) => id !== null && named.apiKeyIds?.includes(id));
  if (key) return key;
  const places = named.groups?.flatMap((group) => groupPlaces.get(group) ?? []) ?? [];
  return places.length === 0 ? null : groups[Math.min(...places)]!;
}

function destinationOf(named: Given<'destinations'>, { byEntry, byTag, outside }: NamedPayees): string | null {
  const entry = named.entries?.find((one) => byEntry.has(one));
  if (entry !== undefined) return `${byEntry.get(entry)?.address} is ${entry}`;
  const tag = named.tags?.find((one) => byTag.has(one));
  if (tag !== undefined) return `${byTag.get(tag)?.address} is tagged ${tag}`;
  return named.outside && outside !== null ? `${outside.address} is not in the address book` : null;
}

function listedOn({ lists }: Given<'screening'>, { listed = [] }: Spending): string | null {
  const found = listed.find(({ listId }) => lists === undefined || lists.includes(listId));
  return found === undefined ? null : `${found.address} is on ${found.listId}`;
}

const MILLION = 1_000_000n;

/** Without an amount that leaves the account, a share of it is undefined. */
function feeOver({ shareMillionths, sats }: Given<'feeOver'>, { feeSats, amountSats }: Spending): string | null {
  if (sats !== undefined && feeSats > sats) return `fee ${over(feeSats, sats)}`;
  if (shareMillionths === undefined || amountSats === 0n) return null;
  return feeSats * MILLION > amountSats * BigInt(shareMillionths)
    ? `fee ${formatBtc(feeSats)} above ${shareMillionths / 1e6} of ${formatBtc(amountSats)}`
    : null;
}

/** Why a window's condition matches; null if it does not. */
export function windowText(window: Given<'window'>, figures: WindowFigures | null): string | null {
  if (figures === null) return null;
  const { amount, count } = figures;
  const said = (text: string | null, subject: string) =>
    text && `${text} in ${window.hours} hours, per ${window.per}${subject === '' ? '' : ` ${subject}`}`;
  if (window.amountOverSats !== undefined) return said(over(amount.sats, window.amountOverSats), amount.subject);
  if (window.countOver === undefined || count.times <= window.countOver) return null;
  return said(`${count.times} above ${window.countOver}`, count.subject);
}
