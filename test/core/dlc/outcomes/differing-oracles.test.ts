import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { OracleParams } from '../../../../src/core/dlc/contract-info.ts';
import type { Dialect } from '../../../../src/core/dlc/dialect.ts';
import { adaptorCases } from '../../../../src/core/dlc/outcomes/adaptor-cases.ts';
import { caseFor } from '../../../../src/core/dlc/outcomes/case-for.ts';
import { coverDiffering } from '../../../../src/core/dlc/outcomes/cover-differing.ts';
import {
  type DigitPrefix,
  digitsOf,
  digitsOfOutcome,
  endOf,
} from '../../../../src/core/dlc/outcomes/digit-prefixes.ts';
import { lines, numeric, numericCase, point } from './contract-cases.ts';

const prefixOf = (text: string, digits: number): DigitPrefix => ({
  start: BigInt(`0b${text}`) << BigInt(digits - text.length),
  ignored: digits - text.length,
});

function sayings(primary: string, digits: number, params: OracleParams, count = 2): string[] {
  const bounds = { ...params, digits, restWithin: 'inner' as const };
  return coverDiffering(prefixOf(primary, digits), count, bounds).map((saying) =>
    saying.map((prefix) => digitsOf(prefix, digits).join('')).join(' '),
  );
}

describe('what differing oracles may say', () => {
  const most = { minFailExp: 7, maxErrorExp: 11, maximizeCoverage: true };
  const least = { ...most, maximizeCoverage: false };

  it('is, beside a small interval, one block or two', () => {
    expect(sayings('001011001', 14, most)).toEqual(['001011001 001']);
    expect(sayings('001011001', 14, least)).toEqual(['001011001 00101']);
    expect(sayings('010000011', 13, most)).toEqual(['010000011 001', '010000011 01']);
    expect(sayings('010000011', 13, least)).toEqual(['010000011 001111', '010000011 01000']);
    expect(sayings('011111010', 13, most)).toEqual(['011111010 01', '011111010 100']);
    expect(sayings('011111010', 13, least)).toEqual(['011111010 01111', '011111010 1000000']);
    expect(sayings('11111111', 13, most)).toEqual(['11111111 11']);
    expect(sayings('11111111', 13, least)).toEqual(['11111111 11111']);
  });

  it('is, around a large interval, itself and a block to each side', () => {
    expect(sayings('01', 13, most)).toEqual(['010 001', '01 01', '011 100']);
    expect(sayings('01', 13, least)).toEqual(['010000 001111', '01 01', '011111 100000']);
    expect(sayings('00', 13, most)).toEqual(['00 00', '001 010']);
    expect(sayings('11', 14, least)).toEqual(['1100000 1011111', '11 11']);
  });

  it('is every mixture for three, the last oracle changing fastest', () => {
    const params = { minFailExp: 1, maxErrorExp: 2, maximizeCoverage: true };
    expect(sayings('010', 3, params, 3)).toEqual(['010 0 0', '010 0 10', '010 10 0', '010 10 10']);
    expect(sayings('01', 4, params, 3)).toEqual([
      ...['010 001 001', '010 001 010', '010 010 001'],
      '01 01 01',
      ...['011 011 100', '011 100 011', '011 100 100'],
    ]);
  });

  const DIGITS = 6;
  const params: fc.Arbitrary<OracleParams> = fc.integer({ min: 1, max: DIGITS - 1 }).chain((maxErrorExp) =>
    fc.record({
      maxErrorExp: fc.constant(maxErrorExp),
      minFailExp: fc.nat(maxErrorExp - 1),
      maximizeCoverage: fc.boolean(),
    }),
  );
  const curves = fc
    .uniqueArray(fc.integer({ min: 1, max: 62 }), { maxLength: 5 })
    .chain((inner) => {
      const outcomes = [0, ...inner.sort((a, b) => a - b), 63];
      return fc.tuple(
        ...outcomes.map((outcome) => fc.nat(8).map((share) => point(BigInt(outcome), BigInt(share) * 10n))),
      );
    })
    .filter((points) => new Set(points.map(({ payoutSats }) => payoutSats)).size > 1)
    .map((points) => numeric(DIGITS, lines(...points), 10n));

  const casesOf = (descriptor: ReturnType<typeof numeric>, given: OracleParams, count: number, dialect: Dialect) =>
    adaptorCases(numericCase(descriptor, { threshold: count, count, params: given }), 80n, dialect);
  const attest = (...values: bigint[]) =>
    new Map(values.map((value, oracle) => [oracle, digitsOfOutcome(value, DIGITS)] as const));

  it('opens a case within 2^minFailExp, paying by the primary, and none beyond 2^maxErrorExp but within a block', () => {
    fc.assert(
      fc.property(
        curves,
        params,
        fc.constantFrom<Dialect>('tagged', 'dlcspecs-vectors'),
        (descriptor, given, dialect) => {
          const cases = casesOf(descriptor, given, 2, dialect);
          const alone = adaptorCases(numericCase(descriptor), 80n, dialect);
          for (let primary = 0n; primary < 64n; primary++) {
            const block = alone[caseFor(alone, attest(primary))!]!;
            const prefix = prefixOf(block.attested[0]!.outcomes.join(''), DIGITS);
            for (let other = 0n; other < 64n; other++) {
              const found = caseFor(cases, attest(primary, other));
              const apart = primary > other ? primary - other : other - primary;
              if (found !== null) expect(cases[found]!.offerPayoutSats).toBe(block.offerPayoutSats);
              if (apart <= 1n << BigInt(given.minFailExp)) expect(found).not.toBeNull();
              const within = other >= prefix.start && other <= endOf(prefix);
              if (apart > 1n << BigInt(given.maxErrorExp) && !within) expect(found).toBeNull();
            }
          }
        },
      ),
      { numRuns: 40 },
    );
  });

  it('opens a case for three within 2^minFailExp as dlcspecs has it; in use, not always beside a large block', () => {
    const values = fc.bigInt({ min: 0n, max: 63n });
    const offset = fc.double({ min: -1, max: 1, noNaN: true });
    fc.assert(
      fc.property(curves, params, values, offset, offset, (descriptor, given, primary, one, two) => {
        const reach = 2 ** given.minFailExp;
        const others = [one, two].map((share) => primary + BigInt(Math.round(share * reach)));
        fc.pre(others.every((other) => other >= 0n && other < 64n));
        expect(caseFor(casesOf(descriptor, given, 3, 'dlcspecs-vectors'), attest(primary, ...others))).not.toBeNull();
      }),
      { numRuns: 150 },
    );
    // The primary is the last of its block's left edge, one oracle just left of it, one as far right as is supported.
    const descriptor = numeric(DIGITS, lines(point(0n, 0n), point(31n, 0n), point(32n, 80n), point(63n, 80n)));
    const given = { minFailExp: 1, maxErrorExp: 2, maximizeCoverage: true };
    expect(caseFor(casesOf(descriptor, given, 3, 'dlcspecs-vectors'), attest(33n, 31n, 35n))).not.toBeNull();
    expect(caseFor(casesOf(descriptor, given, 3, 'tagged'), attest(33n, 31n, 35n))).toBeNull();
  });

  it('lets two of three decide, by the most preferred two that can', () => {
    const descriptor = numeric(DIGITS, lines(point(0n, 0n), point(63n, 63n)));
    const given = { minFailExp: 1, maxErrorExp: 2, maximizeCoverage: true };
    const cases = adaptorCases(numericCase(descriptor, { threshold: 2, count: 3, params: given }), 63n, 'tagged');
    const paid = (...said: [number, bigint][]) => {
      const found = caseFor(cases, new Map(said.map(([oracle, value]) => [oracle, digitsOfOutcome(value, DIGITS)])));
      return found === null ? null : cases[found]!.offerPayoutSats;
    };
    expect(paid([0, 12n], [1, 11n], [2, 10n])).toBe(12n);
    expect(paid([0, 60n], [1, 11n], [2, 10n])).toBe(11n);
    expect(paid([0, 10n], [2, 11n])).toBe(10n);
    expect(paid([2, 11n], [1, 50n])).toBeNull();
    expect(paid([1, 11n])).toBeNull();
  });
});
