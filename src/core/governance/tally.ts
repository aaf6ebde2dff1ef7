/**
 * Voting power and how votes share it, in whole tokens. A vote draws what its holder has not delegated, then takes back from the holder's own
 * delegations, the oldest first, then uses what others delegate to it, as far as they do not take it back. Every sum follows from the votes
 * and the snapshot alone, so it does not matter who votes first.
 */
import { type Tokens, tokens, unitsOfWhole, wholeTokens } from './tokens.ts';

/** What a holder has, now or at a snapshot. */
export interface Holding {
  readonly balance: Tokens;
  /** How much of it is delegated. */
  readonly delegated: Tokens;
  /** What others can vote with by those delegations, each in whole tokens. */
  readonly powerOut: bigint;
  /** What others delegate to it, each delegation in whole tokens. */
  readonly powerIn: bigint;
}
export const NO_HOLDING: Holding = { balance: tokens(0n), delegated: tokens(0n), powerOut: 0n, powerIn: 0n };

export interface DelegatedPower {
  readonly delegateId: string;
  readonly power: bigint;
}

export const SIDES = ['for', 'against'] as const;
export type Side = (typeof SIDES)[number];

/** Where a vote's power comes from. */
export interface Parts {
  /** Not delegated. */
  readonly own: bigint;
  /** From the holder's own delegations. */
  readonly takenBack: bigint;
  /** Delegated by others. */
  readonly received: bigint;
}

/** What a vote counts by. */
export interface Counting {
  readonly vote: Side;
  readonly power: bigint;
  readonly received: bigint;
  /** What the holder has by delegation at the snapshot. */
  readonly powerIn: bigint;
  /** How much of it those who delegated it took back by votes of their own. */
  readonly taken: bigint;
}

const least = (one: bigint, other: bigint): bigint => (one < other ? one : other);
const undelegated = ({ balance, delegated }: Holding): bigint => wholeTokens(tokens(balance - delegated));

/** What it adds to all power of the DAO: each token once, whoever may vote with it. */
export const powerOf = (holding: Holding): bigint => undelegated(holding) + holding.powerOut;

/** With how much it can vote. */
export const votingPower = (holding: Holding): bigint => powerOf(holding) + holding.powerIn;

/** What cannot be given away: what is delegated, and of the rest what was cast. `cast`: of its own, the most on any active proposal. */
export const lockedOf = ({ balance, delegated }: Holding, cast: bigint): Tokens =>
  tokens(delegated + least(balance - delegated, unitsOfWhole(cast)));

/** Of a vote with no more than votingPower. */
export function partsOf(holding: Holding, power: bigint): Parts {
  const own = least(power, undelegated(holding));
  const takenBack = least(power - own, holding.powerOut);
  return { own, takenBack, received: power - own - takenBack };
}

/** How much a vote takes back from each delegate. `delegations`: the oldest first. */
function takenFrom(delegations: readonly DelegatedPower[], takenBack: bigint): Map<string, bigint> {
  const taken = new Map<string, bigint>();
  let rest = takenBack;
  for (const { delegateId, power } of delegations) {
    const part = least(rest, power);
    if (part > 0n) taken.set(delegateId, (taken.get(delegateId) ?? 0n) + part);
    rest -= part;
  }
  return taken;
}

/** How much more, or less, a vote takes back from each delegate than the holder's vote before; delegates to whom it is the same are left out. */
export function takenMore(
  delegations: readonly DelegatedPower[],
  before: bigint,
  takenBack: bigint,
): Map<string, bigint> {
  const more = takenFrom(delegations, takenBack);
  for (const [delegateId, was] of takenFrom(delegations, before)) {
    const by = (more.get(delegateId) ?? 0n) - was;
    if (by === 0n) more.delete(delegateId);
    else more.set(delegateId, by);
  }
  return more;
}

/** What a vote counts for. */
export const countedOf = ({ power, received, powerIn, taken }: Omit<Counting, 'vote'>): bigint =>
  power - received + least(received, powerIn - taken);

/** By how much the sums change where votes come to count otherwise; null: there was none. */
export function tallyChange(changed: readonly { before: Counting | null; after: Counting }[]): Record<Side, bigint> {
  const sums = { for: 0n, against: 0n };
  for (const { before, after } of changed) {
    if (before !== null) sums[before.vote] -= countedOf(before);
    sums[after.vote] += countedOf(after);
  }
  return sums;
}
