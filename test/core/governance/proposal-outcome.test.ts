/** How proposals end, against fractions of numbers as large as there can be. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { outcomeOf, votingEnd } from '../../../src/core/governance/proposal-outcome.ts';

const MOST = 2n ** 53n - 1n;
const power = fc.bigInt({ min: 0n, max: MOST });

it('passes with the quorum and above the threshold, exactly', () => {
  const polls = fc.record({
    totalPower: power,
    shares: fc.tuple(power, power),
    quorum: fc.integer({ min: 0, max: 100 }),
    threshold: fc.integer({ min: 0, max: 99 }),
  });
  fc.assert(
    fc.property(polls, ({ totalPower, shares, quorum, threshold }) => {
      const votesFor = shares[0] % (totalPower + 1n);
      const votesAgainst = shares[1] % (totalPower - votesFor + 1n);
      const settings = { quorum_percent: quorum, threshold_percent: threshold };
      const poll = { settings, totalPower, votesFor, votesAgainst };
      const passes = outcomeOf(poll) === 'passed';
      const cast = votesFor + votesAgainst;
      // The least that does: in whole tokens, rounded up.
      const quorate = cast >= (BigInt(quorum) * totalPower + 99n) / 100n;
      const above = votesFor > (BigInt(threshold) * cast) / 100n;
      expect(passes).toBe(totalPower > 0n && quorate && above);
      // One more for it never rejects, one more against it never passes where the quorum is there.
      if (passes && cast < totalPower) expect(outcomeOf({ ...poll, votesFor: votesFor + 1n })).toBe('passed');
      if (!passes && quorate) expect(outcomeOf({ ...poll, votesAgainst: votesAgainst + 1n })).toBe('rejected');
    }),
  );
});

it.each([
  ['half for it', { votesFor: 100n, votesAgainst: 100n }, 'rejected'],
  ['one above half', { votesFor: 101n, votesAgainst: 100n }, 'passed'],
  ['one below the quorum', { votesFor: 199n, votesAgainst: 0n }, 'rejected'],
  ['the quorum', { votesFor: 200n, votesAgainst: 0n }, 'passed'],
  ['nobody', { votesFor: 0n, votesAgainst: 0n }, 'rejected'],
  ['nobody, who has no power', { votesFor: 0n, votesAgainst: 0n, totalPower: 0n }, 'rejected'],
] as const)('%s', (_, votes, outcome) => {
  const settings = { quorum_percent: 20, threshold_percent: 50 };
  expect(outcomeOf({ settings, totalPower: 1_000n, ...votes })).toBe(outcome);
});

it('ends to the millisecond', () => {
  expect(votingEnd(1_000, { voting_period_hours: 72 })).toBe(1_000 + 259_200_000);
  expect(votingEnd(0, { voting_period_hours: 1 / 3_600 })).toBe(1_000);
});
