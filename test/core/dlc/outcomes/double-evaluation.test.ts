import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { NumericDescriptor, PayoutPoint } from '../../../../src/core/dlc/contract-info.ts';
import type { Dialect } from '../../../../src/core/dlc/dialect.ts';
import { adaptorCases } from '../../../../src/core/dlc/outcomes/adaptor-cases.ts';
import { payoutRuns } from '../../../../src/core/dlc/outcomes/payout-runs.ts';
import { numeric, numericCase, point } from './contract-cases.ts';

const DIGITS = 8;
const LAST = 255n;

/** As rust-dlc and dlcdevkit find payouts: every outcome by itself, in doubles. */
function inDoubles({ payoutFunction, roundingIntervals }: NumericDescriptor, outcome: bigint): bigint {
  const { pieces, lastEndPoint } = payoutFunction;
  const at = Math.max(
    pieces.findLastIndex(({ endPoint }) => endPoint.eventOutcome < outcome),
    0,
  );
  const { endPoint, curve } = pieces[at]!;
  if (curve.kind !== 'polynomial') throw new TypeError('polynomials only');
  const points: PayoutPoint[] = [endPoint, ...curve.points, pieces[at + 1]?.endPoint ?? lastEndPoint];
  const xs = points.map(({ eventOutcome }) => Number(eventOutcome));
  const ys = points.map(({ payoutSats, extraPrecision }) => Number(payoutSats) + extraPrecision / 65_536);
  const x = Number(outcome);
  const value =
    points.length === 2
      ? (x - xs[0]!) * ((Math.floor(ys[1]!) - Math.floor(ys[0]!)) / (xs[1]! - xs[0]!)) + Math.floor(ys[0]!)
      : ys.reduce(
          (sum, y, i) =>
            sum + xs.reduce((term, other, j) => (i === j ? term : term * ((x - other) / (xs[i]! - other))), y),
          0,
        );
  const unit = Number(roundingIntervals[0]!.roundingMod);
  const rest = value % unit;
  return BigInt(Math.round(rest >= unit / 2 ? value + unit - rest : value - rest));
}

const payouts = (descriptor: NumericDescriptor, ties: 'exact' | 'double'): bigint[] =>
  [...payoutRuns(descriptor, 1n << 50n, ties)].flatMap(({ start, end, offerPayoutSats }) =>
    new Array<bigint>(Number(end - start) + 1).fill(offerPayoutSats),
  );

const descriptors = fc
  .record({
    inner: fc.uniqueArray(fc.integer({ min: 1, max: 254 }), { minLength: 1, maxLength: 4 }),
    shares: fc.array(fc.integer({ min: 0, max: 100_000 }), { minLength: 6, maxLength: 6 }),
    extra: fc.integer({ min: 0, max: 65_535 }),
    unit: fc.constantFrom(1n, 2n, 10n, 100n),
    // A parabola through three points that rise by equal steps turns nowhere: it stays within what is paid.
    parabola: fc.boolean(),
  })
  .map(({ inner, shares, extra, unit, parabola }) => {
    const xs = [0, ...inner.sort((a, b) => a - b), 255];
    const [low, high] = [Math.min(shares[0]!, shares[1]!), Math.max(shares[0]!, shares[1]!)];
    const pieces = parabola
      ? [
          {
            endPoint: point(0n, BigInt(low), extra),
            curve: { kind: 'polynomial' as const, points: [point(127n, BigInt((low + high) >> 1))] },
          },
        ]
      : xs.slice(0, -1).map((x, i) => ({
          endPoint: point(BigInt(x), BigInt(shares[i]!), extra),
          curve: { kind: 'polynomial' as const, points: [] },
        }));
    return numeric(DIGITS, { pieces, lastEndPoint: point(LAST, BigInt(parabola ? high : shares[5]!)) }, unit);
  });

describe('payouts as implementations in use compute them', () => {
  it('agree at every outcome with evaluation in doubles, which differs from exact evaluation', () => {
    let differing = 0;
    fc.assert(
      fc.property(descriptors, (descriptor) => {
        const theirs = Array.from({ length: 256 }, (_, outcome) => inDoubles(descriptor, BigInt(outcome)));
        expect(payouts(descriptor, 'double')).toEqual(theirs);
        const exact = payouts(descriptor, 'exact');
        if (exact.some((payout, outcome) => payout !== theirs[outcome])) differing++;
      }),
      { seed: 1196, numRuns: 300 },
    );
    expect(differing).toBeGreaterThan(10);
  });

  it('fall on a tie where doubles put them', () => {
    // 49 of 98 steps are a half, and 49 * (1 / 98) is a little less.
    const line = (to: bigint, payout: bigint) =>
      numeric(
        DIGITS,
        {
          pieces: [
            { endPoint: point(0n, 0n), curve: { kind: 'polynomial' as const, points: [] } },
            { endPoint: point(to, payout), curve: { kind: 'polynomial' as const, points: [] } },
          ],
          lastEndPoint: point(LAST, payout),
        },
        1n,
      );
    expect(49 * (1 / 98)).toBeLessThan(0.5);
    expect(payouts(line(98n, 1n), 'exact')[49]).toBe(1n);
    expect(payouts(line(98n, 1n), 'double')[49]).toBe(0n);
    // So is what is signed: 0 for 0 to 49 there, for 0 to 48 here.
    const zeros = (dialect: Dialect) =>
      adaptorCases(numericCase(line(98n, 1n)), 10n, dialect)
        .filter(({ offerPayoutSats }) => offerPayoutSats === 0n)
        .reduce((sum, { attested }) => sum + 2 ** (DIGITS - attested[0]!.outcomes.length), 0);
    expect([zeros('tagged'), zeros('dlcspecs-vectors')]).toEqual([50, 49]);
    expect(payouts(line(22n, 11n), 'double').slice(0, 5)).toEqual([0n, 1n, 1n, 2n, 2n]);
  });
});
