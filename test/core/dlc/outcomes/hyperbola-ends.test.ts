import { describe, expect, it } from 'vitest';
import { adaptorCases } from '../../../../src/core/dlc/outcomes/adaptor-cases.ts';
import { payoutRuns } from '../../../../src/core/dlc/outcomes/payout-runs.ts';
import { numeric, numericCase, point } from './contract-cases.ts';
import { hyperbola } from './hyperbolas.ts';

/** The terms of dlcspecs' contract single_oracle_numerical_hyperbola, which is signed with 56 adaptor signatures of each side. */
const curve = hyperbola({
  usePositivePiece: true,
  translateOutcome: 50 * 16,
  translatePayout: 50 * 16,
  a: 5 * 16,
  b: -16,
  c: 0,
  d: 16,
});
const payoutFunction = { pieces: [{ endPoint: point(0n, 0n), curve }], lastEndPoint: point(1023n, 0n) };

describe('where a hyperbola ends', () => {
  it('the curve is paid, not what the end point says', () => {
    // u = -50: 10 / (u + sqrt(u^2 + 20)) + 50 is 100.1.
    const runs = [...payoutRuns(numeric(10, payoutFunction), 200_000_000n)];
    expect(runs[0]).toMatchObject({ start: 0n, offerPayoutSats: 100n });
    expect(runs.at(-1)).toMatchObject({ end: 1023n, offerPayoutSats: 50n });
    expect(adaptorCases(numericCase(numeric(10, payoutFunction)), 200_000_000n, 'tagged')).toHaveLength(56);
  });

  it('a piece that begins there has it from the one before', () => {
    const line = { kind: 'polynomial' as const, points: [] };
    const pieces = [
      { endPoint: point(0n, 0n), curve },
      { endPoint: point(512n, 7n), curve: line },
    ];
    const both = { pieces, lastEndPoint: point(1023n, 7n) };
    const payoutAt = (outcome: bigint) =>
      [...payoutRuns(numeric(10, both), 200_000_000n)].find(({ end }) => end >= outcome)?.offerPayoutSats;
    expect([511n, 512n, 513n].map(payoutAt)).toEqual([50n, 50n, 7n]);
  });
});
