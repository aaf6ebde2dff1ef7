import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { OracleParams } from '../../../../src/core/dlc/contract-info.ts';
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

function sayings(primary: string, digits: number, minFailExp: number, maxErrorExp: number, count = 2): string[] {
  return coverDiffering(prefixOf(primary, digits), count, { minFailExp, maxErrorExp, digits }).map((saying) =>
    saying.map((prefix) => digitsOf(prefix, digits).join('')).join(' '),
  );
}

describe('what differing oracles may say', () => {
  it('is, beside a small interval, one block or two', () => {
    expect(sayings('001011001', 14, 7, 11)).toEqual(['001011001 001']);
    expect(sayings('010000011', 13, 7, 11)).toEqual(['010000011 001', '010000011 01']);
    expect(sayings('011111010', 13, 7, 11)).toEqual(['011111010 01', '011111010 100']);
    expect(sayings('11111111', 13, 7, 11)).toEqual(['11111111 11']);
    expect(sayings('00000000', 13, 7, 11)).toEqual(['00000000 00']);
  });

  it('is, around a large interval, itself and a block to each side', () => {
    expect(sayings('01', 13, 7, 11)).toEqual(['010 001', '01 01', '011 100']);
    expect(sayings('00', 13, 7, 11)).toEqual(['00 00', '001 010']);
    expect(sayings('11', 14, 7, 11)).toEqual(['1100 1011', '11 11']);
  });

  it('is every mixture for three, the last oracle changing fastest', () => {
    expect(sayings('010', 3, 1, 2, 3)).toEqual(['010 0 0', '010 0 10', '010 10 0', '010 10 10']);
    expect(sayings('01', 4, 1, 2, 3)).toEqual([
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

  const casesOf = (descriptor: ReturnType<typeof numeric>, given: OracleParams, count: number) =>
    adaptorCases(numericCase(descriptor, { threshold: count, count, params: given }), 80n, 'tagged');
  const attest = (...values: bigint[]) =>
    new Map(values.map((value, oracle) => [oracle, digitsOfOutcome(value, DIGITS)] as const));

  it('opens a case within 2^minFailExp, paying by the primary, and none beyond 2^maxErrorExp but within a block', () => {
    fc.assert(
      fc.property(curves, params, (descriptor, given) => {
        const cases = casesOf(descriptor, given, 2);
        const alone = adaptorCases(numericCase(descriptor), 80n, 'tagged');
        for (let primary = 0n; primary < 64n; primary++) {
          const block = alone[caseFor(alone, attest(primary))!]!;
          const prefix = prefixOf(block.attested[0]!.outcomes.join(''), DIGITS);
          for (let other = 0n; other < 64n; other++) {
            const found = caseFor(cases, attest(primary, other));
            const apart = primary > other ? primary - other : other - primary;
            const within = other >= prefix.start && other <= endOf(prefix);
            const holds =
              found === null
                ? apart > 1n << BigInt(given.minFailExp)
                : (apart <= 1n << BigInt(given.maxErrorExp) || within) &&
                  cases[found]!.offerPayoutSats === block.offerPayoutSats;
            if (!holds) expect.fail(`${primary} and ${other} open case ${found}`);
          }
        }
      }),
      { numRuns: 40 },
    );
  });

  it('opens a case for three of them to one side, and pays none beyond 2^maxErrorExp but within a block', () => {
    const values = fc.bigInt({ min: 0n, max: 63n });
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    let opened = 0;
    fc.assert(
      fc.property(curves, params, values, values, values, (descriptor, given, primary, ...others) => {
        const cases = casesOf(descriptor, given, 3);
        const alone = adaptorCases(numericCase(descriptor), 80n, 'tagged');
        const block = alone[caseFor(alone, attest(primary))!]!;
        const prefix = prefixOf(block.attested[0]!.outcomes.join(''), DIGITS);
        const found = caseFor(cases, attest(primary, ...others));
        if (found === null) return;
        opened++;
        expect(cases[found]!.offerPayoutSats).toBe(block.offerPayoutSats);
        for (const other of others) {
          const apart = primary > other ? primary - other : other - primary;
          if (other < prefix.start || other > endOf(prefix))
            expect(apart <= 1n << BigInt(given.maxErrorExp)).toBe(true);
        }
      }),
      { numRuns: 200 },
    );
    expect(opened).toBeGreaterThan(20);
    fc.assert(
      fc.property(curves, params, values, share, share, fc.boolean(), (descriptor, given, primary, one, two, above) => {
        const reach = 2 ** given.minFailExp;
        const others = [one, two].map((part) => primary + BigInt(Math.round(part * reach)) * (above ? 1n : -1n));
        fc.pre(others.every((other) => other >= 0n && other < 64n));
        expect(caseFor(casesOf(descriptor, given, 3), attest(primary, ...others))).not.toBeNull();
      }),
      { numRuns: 150 },
    );
  });

  it('does not settle for three where one is just outside a large block and another far within: dlcspecs’ text has it otherwise', () => {
    const descriptor = numeric(DIGITS, lines(point(0n, 0n), point(31n, 0n), point(32n, 80n), point(63n, 80n)));
    const cases = casesOf(descriptor, { minFailExp: 1, maxErrorExp: 2, maximizeCoverage: true }, 3);
    expect(caseFor(cases, attest(33n, 31n, 35n))).toBeNull();
    expect(caseFor(cases, attest(33n, 31n, 33n))).not.toBeNull();
    expect(caseFor(cases, attest(33n, 35n, 35n))).not.toBeNull();
  });

  it('is as much as dlcspecs’ contracts with differing oracles are signed with', () => {
    const rise = { kind: 'polynomial' as const, points: [point(3n, 100_000_000n)] };
    const flat = { kind: 'polynomial' as const, points: [] };
    const pieces = [
      { endPoint: point(0n, 0n), curve: rise },
      { endPoint: point(5n, 200_000_000n), curve: flat },
    ];
    const descriptor = numeric(10, { pieces, lastEndPoint: point(1023n, 200_000_000n) });
    const given = { minFailExp: 1, maxErrorExp: 2, maximizeCoverage: false };
    const count = (threshold: number, oracles: number) =>
      adaptorCases(numericCase(descriptor, { threshold, count: oracles, params: given }), 200_000_000n, 'tagged')
        .length;
    expect([count(3, 3), count(2, 5), count(3, 5), count(5, 5)]).toEqual([68, 320, 680, 284]);
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
