import { describe, expect, it } from 'vitest';
import { adaptorCases, countAdaptorCases, MAX_ADAPTOR_CASES } from '../../../../src/core/dlc/outcomes/adaptor-cases.ts';
import { contractVectors } from '../messages/contract-vectors.ts';
import { enumeratedCase, lines, numeric, numericCase, point } from './contract-cases.ts';

const said = (cases: ReturnType<typeof adaptorCases>) =>
  cases.map(({ attested, offerPayoutSats }) => [
    attested.map(({ oracle, outcomes }) => `${oracle}:${outcomes.join('')}`).join(' '),
    offerPayoutSats,
  ]);

describe('adaptor cases', () => {
  it('go by the descriptor, and within an outcome by the oracles, preferred ones first', () => {
    const outcomes = [
      ['rain', 7n],
      ['sun', 3n],
    ] as const;
    expect(said(adaptorCases(enumeratedCase(outcomes), 10n, 'tagged'))).toEqual([
      ['0:rain', 7n],
      ['0:sun', 3n],
    ]);
    expect(said(adaptorCases(enumeratedCase(outcomes, { threshold: 2, count: 3 }), 10n, 'tagged'))).toEqual([
      ['0:rain 1:rain', 7n],
      ['0:rain 2:rain', 7n],
      ['1:rain 2:rain', 7n],
      ['0:sun 1:sun', 3n],
      ['0:sun 2:sun', 3n],
      ['1:sun 2:sun', 3n],
    ]);
  });

  it('cover each run of equal payouts by prefixes, ascending', () => {
    const curve = lines(point(0n, 0n), point(3n, 0n), point(4n, 10n), point(7n, 10n));
    expect(said(adaptorCases(numericCase(numeric(3, curve)), 10n, 'tagged'))).toEqual([
      ['0:0', 0n],
      ['0:1', 10n],
    ]);
    expect(said(adaptorCases(numericCase(numeric(3, curve), { threshold: 2, count: 2 }), 10n, 'tagged'))).toEqual([
      ['0:0 1:0', 0n],
      ['0:1 1:1', 10n],
    ]);
    expect(said(adaptorCases(numericCase(numeric(3, lines(point(0n, 0n), point(7n, 7n)), 4n)), 7n, 'tagged'))).toEqual([
      ['0:00', 0n],
      ['0:01', 4n],
      ['0:10', 4n],
      ['0:11', 7n],
    ]);
  });

  it('are refused beyond so many, whatever the domain, and where nothing is to be decided', () => {
    const line = lines(point(0n, 0n), point(2n ** 40n - 1n, 10n ** 12n));
    expect(() => adaptorCases(numericCase(numeric(40, line)), 10n ** 12n, 'tagged')).toThrow(
      `more than ${MAX_ADAPTOR_CASES} adaptor signatures`,
    );
    const flat = lines(point(0n, 5n), point(7n, 5n));
    expect(() => adaptorCases(numericCase(numeric(3, flat)), 10n, 'tagged')).toThrow('every outcome pays the same');
    const many = Array.from({ length: 1000 }, (_, i) => [`${i}`, BigInt(i)] as const);
    expect(() => adaptorCases(enumeratedCase(many, { threshold: 20, count: 60 }), 1000n, 'tagged')).toThrow(
      'use fewer outcomes or fewer oracles',
    );
  });

  it('are refused beyond what is left of a contract’s', () => {
    const two = enumeratedCase([
      ['a', 0n],
      ['b', 1n],
    ]);
    expect(adaptorCases(two, 1n, 'tagged', 2)).toHaveLength(2);
    expect(() => adaptorCases(two, 1n, 'tagged', 1)).toThrow('more than 1 adaptor signatures');
    const line = numericCase(numeric(3, lines(point(0n, 0n), point(7n, 70n))));
    expect(adaptorCases(line, 70n, 'tagged', 8)).toHaveLength(8);
    expect(() => adaptorCases(line, 70n, 'tagged', 7)).toThrow('more than 7 adaptor signatures');
    expect(() => adaptorCases(line, 70n, 'tagged', 0)).toThrow('more than 0 adaptor signatures');
  });

  it('of a line over 2^32 outcomes rounded to 10,000 steps are made without walking it', () => {
    const line = lines(point(0n, 0n), point(2n ** 32n - 1n, 100_000_000n));
    const cases = adaptorCases(numericCase(numeric(32, line, 1_000_000n)), 100_000_000n, 'tagged');
    expect(cases[0]!.offerPayoutSats).toBe(0n);
    expect(cases.at(-1)!.offerPayoutSats).toBe(100_000_000n);
    expect(new Set(cases.map(({ offerPayoutSats }) => offerPayoutSats)).size).toBe(101);
  });
});

describe('dlcspecs’ full contracts', () => {
  const prefixesOf = (cases: ReturnType<typeof adaptorCases>) =>
    cases.map(({ attested }) => attested[0]!.outcomes.join(''));

  for (const { name, offer, accept } of contractVectors()) {
    const { contractInfo } = offer.message;
    it(`${name}: as many cases as there are signatures`, () => {
      const cases = contractInfo.cases.flatMap((one) =>
        adaptorCases(one, contractInfo.totalCollateralSats, 'dlcspecs-vectors'),
      );
      expect(cases.length).toBe(accept.message.cetAdaptorSignatures.length / 162);
      const counted = contractInfo.cases.map((one) =>
        countAdaptorCases(one, contractInfo.totalCollateralSats, 'dlcspecs-vectors'),
      );
      expect(counted.reduce((sum, count) => sum + count)).toBe(cases.length);
      const { oracleInfo, descriptor } = contractInfo.cases[0]!;
      const oracles = oracleInfo.kind === 'single' ? [0] : oracleInfo.announcements.map((_, oracle) => oracle);
      for (const { attested } of cases) {
        expect(attested.map(({ oracle }) => oracle)).toEqual(oracles);
        expect(new Set(attested.map(({ outcomes }) => outcomes.join())).size).toBe(1);
      }
      if (descriptor.kind === 'numeric') {
        const single = [0, 1, 2, 3, 4, 5].map((outcome) => outcome.toString(2).padStart(10, '0'));
        const rest = [7, 6, 5, 4, 3, 2].map((length) => '1'.padStart(length, '0'));
        expect(prefixesOf(cases)).toEqual([...single, '000000011', ...rest, '1']);
        expect(cases.at(-1)!.offerPayoutSats).toBe(contractInfo.totalCollateralSats);
      } else {
        expect(prefixesOf(cases)).toEqual(descriptor.payouts.map(({ outcome }) => outcome));
      }
    });
  }
});
