/** The tally, vote by vote, against one of all votes at once in which each whole token of power is a chip that somebody takes. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Counting,
  type Holding,
  lockedOf,
  type Parts,
  partsOf,
  powerOf,
  type Side,
  takenMore,
  tallyChange,
  votingPower,
} from '../../../src/core/governance/tally.ts';
import { tokens } from '../../../src/core/governance/tokens.ts';

interface Delegation {
  readonly from: number;
  readonly to: number;
  readonly units: bigint;
}
interface Ballot {
  readonly holder: number;
  readonly vote: Side;
  readonly power: bigint;
}
interface Snapshot {
  readonly balances: readonly bigint[];
  readonly delegations: readonly Delegation[];
}

const ONE = 100_000_000n;
const sum = (numbers: readonly bigint[]): bigint => numbers.reduce((all, one) => all + one, 0n);

/** Delegations take what is left of their holder's balance. */
const snapshots = fc
  .tuple(
    fc.array(fc.bigInt({ min: 0n, max: 12n * ONE }), { minLength: 2, maxLength: 5 }),
    fc.array(fc.tuple(fc.nat(4), fc.nat(4), fc.bigInt({ min: 1n, max: 5n * ONE })), { maxLength: 10 }),
  )
  .map(([balances, asked]): Snapshot => {
    const left = [...balances];
    const delegations: Delegation[] = [];
    for (const [one, other, units] of asked) {
      const [from, to] = [one % left.length, other % left.length];
      if (from === to || left[from]! < units) continue;
      left[from]! -= units;
      delegations.push({ from, to, units });
    }
    return { balances, delegations };
  });

function holdingOf({ balances, delegations }: Snapshot, holder: number): Holding {
  const given = delegations.filter(({ from }) => from === holder);
  const received = delegations.filter(({ to }) => to === holder);
  return {
    balance: tokens(balances[holder]!),
    delegated: tokens(sum(given.map(({ units }) => units))),
    powerOut: sum(given.map(({ units }) => units / ONE)),
    powerIn: sum(received.map(({ units }) => units / ONE)),
  };
}

const histories = snapshots.chain((snapshot) => {
  const ballot = fc
    .record({ holder: fc.nat(snapshot.balances.length - 1), against: fc.boolean(), share: fc.bigInt(0n, 6n) })
    .map(
      ({ holder, against, share }): Ballot => ({
        ...{ holder, vote: against ? 'against' : 'for' },
        power: (votingPower(holdingOf(snapshot, holder)) * share) / 6n,
      }),
    );
  return fc.tuple(fc.constant(snapshot), fc.array(ballot, { maxLength: 20 }));
});

function oneByOne(snapshot: Snapshot, ballots: readonly Ballot[]) {
  const votes = new Map<number, Counting & Parts>();
  const taken = new Map<number, bigint>();
  const sums = { for: 0n, against: 0n };
  for (const { holder, vote, power } of ballots) {
    const holding = holdingOf(snapshot, holder);
    const before = votes.get(holder) ?? null;
    const parts = partsOf(holding, power);
    const given = snapshot.delegations
      .filter(({ from }) => from === holder)
      .map(({ to, units }) => ({ delegateId: String(to), power: units / ONE }));
    const after = { vote, power, ...parts, powerIn: holding.powerIn, taken: taken.get(holder) ?? 0n };
    const changed: { before: Counting | null; after: Counting }[] = [{ before, after }];
    votes.set(holder, after);
    for (const [delegateId, by] of takenMore(given, before?.takenBack ?? 0n, parts.takenBack)) {
      const to = Number(delegateId);
      taken.set(to, (taken.get(to) ?? 0n) + by);
      const theirs = votes.get(to);
      if (theirs === undefined) continue;
      votes.set(to, { ...theirs, taken: theirs.taken + by });
      changed.push({ before: theirs, after: { ...theirs, taken: theirs.taken + by } });
    }
    const more = tallyChange(changed);
    sums.for += more.for;
    sums.against += more.against;
  }
  return { sums, votes };
}

/** Who counts with each chip; nobody counts with one that is another's. */
function atOnce(snapshot: Snapshot, ballots: readonly Ballot[]) {
  const last = new Map(ballots.map((ballot) => [ballot.holder, ballot]));
  const given = snapshot.delegations.map((one) => ({
    ...one,
    chips: Array<number | null>(Number(one.units / ONE)).fill(null),
  }));
  const wanted = new Map<number, number>();
  const sums = { for: 0n, against: 0n };
  for (const [holder, { power, vote }] of last) {
    const { balance, delegated } = holdingOf(snapshot, holder);
    let rest = Number(power);
    const own = Math.min(rest, Number((balance - delegated) / ONE));
    rest -= own;
    sums[vote] += BigInt(own);
    for (const { chips } of given.filter(({ from }) => from === holder))
      for (let at = 0; at < chips.length && rest > 0; at++, rest--) chips[at] = holder;
    wanted.set(holder, rest);
  }
  for (const [holder, many] of wanted) {
    let rest = many;
    for (const { chips } of given.filter(({ to }) => to === holder))
      for (let at = 0; at < chips.length && rest > 0; at++)
        if (chips[at] === null) {
          chips[at] = holder;
          rest--;
        }
  }
  for (const by of given.flatMap(({ chips }) => chips)) if (by !== null) sums[last.get(by)!.vote]++;
  return sums;
}

describe('the tally', () => {
  it('is that of all votes at once, with no power counted twice', () => {
    fc.assert(
      fc.property(histories, ([snapshot, ballots]) => {
        const { sums, votes } = oneByOne(snapshot, ballots);
        expect(sums).toEqual(atOnce(snapshot, ballots));
        const holdings = snapshot.balances.map((_, holder) => holdingOf(snapshot, holder));
        expect(sums.for + sums.against <= sum(holdings.map(powerOf))).toBe(true);
        for (const { power, own, takenBack, received, powerIn, taken } of votes.values()) {
          expect(own + takenBack + received).toBe(power);
          expect(received <= powerIn && taken >= 0n && taken <= powerIn).toBe(true);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('does not depend on which holder votes first', () => {
    fc.assert(
      fc.property(histories, fc.array(fc.nat(100), { minLength: 5, maxLength: 5 }), ([snapshot, ballots], order) => {
        const apart = ballots.toSorted((one, other) => order[one.holder]! - order[other.holder]!);
        expect(oneByOne(snapshot, apart).sums).toEqual(oneByOne(snapshot, ballots).sums);
      }),
      { numRuns: 200 },
    );
  });

  it('counts all power where everybody votes with all they have of their own', () => {
    fc.assert(
      fc.property(snapshots, (snapshot) => {
        const holdings = snapshot.balances.map((_, holder) => holdingOf(snapshot, holder));
        const ballots = holdings.map((holding, holder) => ({ holder, vote: 'for' as const, power: powerOf(holding) }));
        expect(oneByOne(snapshot, ballots).sums.for).toBe(sum(holdings.map(powerOf)));
      }),
      { numRuns: 50 },
    );
  });
});

it('what is delegated is locked, and of the rest what was cast', () => {
  const holding = { balance: tokens(10n * ONE), delegated: tokens(4n * ONE), powerOut: 4n, powerIn: 0n };
  expect([0n, 5n, 6n, 10n].map((cast) => lockedOf(holding, cast))).toEqual([4n, 9n, 10n, 10n].map((at) => at * ONE));
});
