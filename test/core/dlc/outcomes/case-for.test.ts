import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AdaptorCase } from '../../../../src/core/dlc/adaptor-case.ts';
import { adaptorCases } from '../../../../src/core/dlc/outcomes/adaptor-cases.ts';
import { caseFor } from '../../../../src/core/dlc/outcomes/case-for.ts';
import { digitsOfOutcome } from '../../../../src/core/dlc/outcomes/digit-prefixes.ts';
import { enumeratedCase, lines, numeric, numericCase, point } from './contract-cases.ts';

/** By looking at every one. */
const matching = (cases: readonly AdaptorCase[], attested: ReadonlyMap<number, readonly string[]>): number[] =>
  cases.flatMap((one, index) =>
    one.attested.every(({ oracle, outcomes }) => outcomes.every((outcome, i) => attested.get(oracle)?.[i] === outcome))
      ? [index]
      : [],
  );

describe('the case that attestations open', () => {
  it('is the only one there is, for every value of one oracle', () => {
    const points = fc.array(fc.nat(50), { minLength: 2, maxLength: 6 });
    fc.assert(
      fc.property(points, fc.integer({ min: 3, max: 8 }), (shares, digits) => {
        fc.pre(new Set(shares).size > 1);
        const last = (1n << BigInt(digits)) - 1n;
        const curve = lines(
          ...shares.map((share, i) => point((last * BigInt(i)) / BigInt(shares.length - 1), BigInt(share))),
        );
        const cases = adaptorCases(numericCase(numeric(digits, curve)), 50n, 'tagged');
        for (let outcome = 0n; outcome <= last; outcome++) {
          const attested = new Map([[0, digitsOfOutcome(outcome, digits)]]);
          expect(matching(cases, attested)).toEqual([caseFor(cases, attested)]);
        }
      }),
      { numRuns: 40 },
    );
  });

  it('takes any oracles that reach the threshold, preferred ones first', () => {
    const outcomes = [
      ['a', 1n],
      ['b', 2n],
      ['1', 3n],
    ] as const;
    const cases = adaptorCases(enumeratedCase(outcomes, { threshold: 2, count: 4 }), 3n, 'tagged');
    const said = (...attestations: [number, string][]) =>
      caseFor(cases, new Map(attestations.map(([oracle, outcome]) => [oracle, [outcome]])));
    const opened = (found: number | null) =>
      found === null
        ? null
        : cases[found]!.attested.map(({ oracle, outcomes: [outcome] }) => `${oracle}${outcome}`).join(' ');
    expect(opened(said([2, 'b'], [3, 'b']))).toBe('2b 3b');
    expect(opened(said([0, 'b'], [1, 'a'], [2, 'b'], [3, 'a']))).toBe('0b 2b');
    expect(opened(said([3, '1'], [1, '1'], [2, '1']))).toBe('11 21');
    expect(said([0, 'a'], [1, 'b'])).toBeNull();
    expect(said([0, 'a'])).toBeNull();
    expect(said([0, 'a'], [1, 'c'])).toBeNull();
    expect(said([0, 'a'], [7, 'a'])).toBeNull();
    expect(said()).toBeNull();
  });

  it('does not take part of the digits for all of them', () => {
    const cases = adaptorCases(numericCase(numeric(3, lines(point(0n, 0n), point(7n, 7n)))), 7n, 'tagged');
    expect(caseFor(cases, new Map([[0, ['1', '0']]]))).toBeNull();
    expect(caseFor(cases, new Map([[0, ['1', '0', '1']]]))).toBe(5);
  });
});
