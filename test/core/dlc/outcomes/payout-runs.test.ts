import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { NumericDescriptor, PayoutPoint } from '../../../../src/core/dlc/contract-info.ts';
import { type PayoutRun, payoutRuns } from '../../../../src/core/dlc/outcomes/payout-runs.ts';
import { lines, numeric, point } from './contract-cases.ts';
import { hyperbola } from './hyperbolas.ts';
import { naivePayout } from './naive-payouts.ts';

const COLLATERAL = 1_000n;

const runsOf = (descriptor: NumericDescriptor, collateral = COLLATERAL): PayoutRun[] => [
  ...payoutRuns(descriptor, collateral),
];

/** Ascending, without gaps, over the whole domain, as long as can be; and each outcome pays what it does evaluated by itself. */
function expectNaive(descriptor: NumericDescriptor, collateral = COLLATERAL): void {
  let next = 0n;
  let before: bigint | null = null;
  for (const { start, end, offerPayoutSats } of runsOf(descriptor, collateral)) {
    expect(start).toBe(next);
    expect(offerPayoutSats).not.toBe(before);
    for (let outcome = start; outcome <= end; outcome++) {
      const naive = naivePayout(descriptor, collateral, outcome);
      if (naive !== offerPayoutSats) expect({ outcome, pays: offerPayoutSats }).toEqual({ outcome, pays: naive });
    }
    [next, before] = [end + 1n, offerPayoutSats];
  }
  expect(next).toBe(1n << BigInt(descriptor.digits));
}

const payoutPoint = (outcome: bigint): fc.Arbitrary<PayoutPoint> =>
  fc.record({
    eventOutcome: fc.constant(outcome),
    payoutSats: fc.bigInt({ min: 0n, max: COLLATERAL - 1n }),
    extraPrecision: fc.oneof(fc.constant(0), fc.constant(0x8000), fc.nat(0xffff)),
  });

const roundings = (digits: number) =>
  fc
    .uniqueArray(
      fc.record({
        beginInterval: fc.bigInt({ min: 0n, max: (1n << BigInt(digits)) - 1n }),
        roundingMod: fc.bigInt({ min: 1n, max: 400n }),
      }),
      { maxLength: 4, selector: ({ beginInterval }) => beginInterval },
    )
    .map((intervals) => intervals.sort((a, b) => Number(a.beginInterval - b.beginInterval)));

/** Polynomials through random points, of random degrees. */
const polynomials: fc.Arbitrary<NumericDescriptor> = fc.integer({ min: 2, max: 8 }).chain((digits) => {
  const last = (1n << BigInt(digits)) - 1n;
  return fc
    .record({
      inner: fc.uniqueArray(fc.bigInt({ min: 1n, max: last - 1n }), { maxLength: 8 }),
      joints: fc.uniqueArray(fc.nat(7), { maxLength: 4 }),
      roundingIntervals: roundings(digits),
    })
    .chain(({ inner, joints, roundingIntervals }) => {
      const outcomes = [0n, ...inner.sort((a, b) => Number(a - b)), last];
      return fc.tuple(...outcomes.map(payoutPoint)).map((points) => {
        const ends = [0, ...joints.filter((joint) => joint > 0 && joint < points.length - 1).sort((a, b) => a - b)];
        const pieces = ends.map((begin, i) => ({
          endPoint: points[begin]!,
          curve: {
            kind: 'polynomial' as const,
            points: points.slice(begin + 1, ends[i + 1] ?? points.length - 1),
          },
        }));
        const payoutFunction = { pieces, lastEndPoint: points.at(-1)! };
        return { kind: 'numeric' as const, digits, payoutFunction, roundingIntervals };
      });
    });
});

describe('runs of equal payouts', () => {
  it('agree with each outcome evaluated by itself: polynomials, any rounding', () => {
    fc.assert(
      fc.property(polynomials, (descriptor) => expectNaive(descriptor)),
      { numRuns: 150 },
    );
  });

  it('agree with each outcome evaluated by itself: hyperbolas', () => {
    const sixteenths = fc.integer({ min: -64, max: 64 });
    const parameters = fc.record({
      usePositivePiece: fc.boolean(),
      translateOutcome: fc.integer({ min: -600, max: 600 }),
      translatePayout: fc.integer({ min: -8_000, max: 16_000 }),
      a: sixteenths.filter((a) => a !== 0),
      b: sixteenths,
      c: sixteenths,
      d: fc.integer({ min: -4_000, max: 4_000 }),
      roundingIntervals: roundings(6),
    });
    let defined = 0;
    fc.assert(
      fc.property(parameters, ({ roundingIntervals, ...given }) => {
        const curve = hyperbola(given);
        const payoutFunction = {
          pieces: [{ endPoint: point(0n, 100n), curve }],
          lastEndPoint: point(63n, 900n),
        };
        const descriptor: NumericDescriptor = { kind: 'numeric', digits: 6, payoutFunction, roundingIntervals };
        let runs: PayoutRun[];
        try {
          runs = runsOf(descriptor);
        } catch (error) {
          expect(String(error)).toMatch(/not defined|that is a line/);
          return;
        }
        defined++;
        expect(runs.at(0)!.start).toBe(0n);
        expectNaive(descriptor);
      }),
      { numRuns: 150 },
    );
    expect(defined).toBeGreaterThan(30);
  });

  it('of a curve that turns between two outcomes of a large domain keep its top', () => {
    // A parabola over 2^40 outcomes whose top is one satoshi above a multiple of the rounding.
    const last = 2n ** 40n - 1n;
    const payoutFunction = {
      pieces: [{ endPoint: point(0n, 0n), curve: { kind: 'polynomial' as const, points: [point(2n ** 39n, 951n)] } }],
      lastEndPoint: point(last, 1n),
    };
    const runs = runsOf(numeric(40, payoutFunction, 100n));
    expect(runs.map(({ offerPayoutSats }) => offerPayoutSats)).toEqual([
      ...[0n, 100n, 200n, 300n, 400n, 500n, 600n, 700n, 800n, 900n, 1000n],
      ...[900n, 800n, 700n, 600n, 500n, 400n, 300n, 200n, 100n, 0n],
    ]);
    expect(runs.at(-1)!.end).toBe(last);
  });

  it('are exact where doubles come to nothing: points that they do not tell apart', () => {
    const points = [point(2n ** 58n, 500n, 0x8000), point(2n ** 58n + 1n, 500n, 0x8000)];
    const payoutFunction = {
      pieces: [{ endPoint: point(0n, 500n, 0x8000), curve: { kind: 'polynomial' as const, points } }],
      lastEndPoint: point(2n ** 60n - 1n, 500n, 0x8000),
    };
    const pays = (ties: 'exact' | 'double') => [...payoutRuns(numeric(60, payoutFunction), COLLATERAL, ties)];
    expect(pays('exact')).toEqual([{ start: 0n, end: 2n ** 60n - 1n, offerPayoutSats: 501n }]);
    expect(pays('double')).toEqual(pays('exact'));
  });

  it('round halves up, and keep within 0 and the collateral', () => {
    const pays = (payoutFunction: NumericDescriptor['payoutFunction'], roundingMod: bigint) =>
      runsOf(numeric(2, payoutFunction, roundingMod)).map(({ offerPayoutSats }) => offerPayoutSats);
    expect(pays(lines(point(0n, 0n, 0x8000), point(1n, 2n, 0x7fff), point(2n, 5n), point(3n, 15n)), 1n)).toEqual([
      1n,
      2n,
      5n,
      15n,
    ]);
    expect(pays(lines(point(0n, 4n), point(1n, 5n), point(2n, 14n), point(3n, 15n)), 10n)).toEqual([0n, 10n, 20n]);
    expect(pays(lines(point(0n, 995n), point(3n, 1n)), 300n)).toEqual([900n, 600n, 300n, 0n]);
    expect(pays(lines(point(0n, 1000n), point(3n, 0n)), 600n)).toEqual([1000n, 600n, 0n]);
    // Below zero between its points, and above the collateral.
    const cubic = {
      pieces: [
        { endPoint: point(0n, 0n), curve: { kind: 'polynomial' as const, points: [point(5n, 0n), point(10n, 1000n)] } },
      ],
      lastEndPoint: point(15n, 0n),
    };
    const payouts = runsOf(numeric(4, cubic)).map(({ offerPayoutSats }) => offerPayoutSats);
    expect(payouts[0]).toBe(0n);
    expect(payouts).toContain(1000n);
    expectNaive(numeric(4, cubic));
  });

  it('merge over joints and over changes of rounding', () => {
    const flat = lines(point(0n, 600n), point(3n, 600n), point(5n, 600n), point(15n, 600n));
    const descriptor: NumericDescriptor = {
      ...numeric(4, flat),
      roundingIntervals: [
        { beginInterval: 2n, roundingMod: 100n },
        { beginInterval: 8n, roundingMod: 1000n },
      ],
    };
    expect(runsOf(descriptor)).toEqual([
      { start: 0n, end: 7n, offerPayoutSats: 600n },
      { start: 8n, end: 15n, offerPayoutSats: 1000n },
    ]);
  });
});
