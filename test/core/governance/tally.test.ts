/** The tally, vote by vote, against one of all votes at once. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Counting,
  type Holding,
  lockedOf,
  type Parts,
  partsOf,
  powerOf,
  takenMore,
  tallyChange,
  votingPower,
} from '../../../src/core/governance/tally.ts';
import { tokens } from '../../../src/core/governance/tokens.ts';
import {
  modelTally as atOnce,
  type ModelBallot as Ballot,
  type ModelDelegation as Delegation,
  modelPower,
  ONE,
  type ModelSnapshot as Snapshot,
  sum,
} from '../../builders/governance-model.ts';

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

function holdingOf(snapshot: Snapshot, holder: number): Holding {
  const { delegated, out, in: powerIn } = modelPower(snapshot, holder);
  return { balance: tokens(snapshot.balances[holder]!), delegated: tokens(delegated), powerOut: out, powerIn };
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
