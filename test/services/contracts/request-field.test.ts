/** What is wrong with terms is said by the names that a request has for them. */
import { describe, expect, it } from 'vitest';
import type { NumericDescriptor, PayoutPoint } from '../../../src/core/dlc/contract-info.ts';
import { requestField } from '../../../src/services/contracts/terms/request-field.ts';

const at = (eventOutcome: bigint): PayoutPoint => ({ eventOutcome, payoutSats: 0n, extraPrecision: 0 });
const rate = { numerator: 0n, denominator: 1n } as never;
const hyperbola = { translateOutcome: rate, translatePayout: rate, a: rate, b: rate, c: rate, d: rate };

/** Points 0, (1, 2), 3 | 3 hyperbola 5 | 5, (6), 7. */
const numeric: NumericDescriptor = {
  kind: 'numeric',
  digits: 3,
  payoutFunction: {
    pieces: [
      { endPoint: at(0n), curve: { kind: 'polynomial', points: [at(1n), at(2n)] } },
      { endPoint: at(3n), curve: { kind: 'hyperbola', usePositivePiece: true, ...hyperbola } },
      { endPoint: at(5n), curve: { kind: 'polynomial', points: [at(6n)] } },
    ],
    lastEndPoint: at(7n),
  },
  roundingIntervals: [
    { beginInterval: 0n, roundingMod: 1n },
    { beginInterval: 4n, roundingMod: 5n },
  ],
};

describe('a field of terms', () => {
  it.each([
    ['descriptor.payout_function.pieces[0].end_point', 'descriptor.payout_points[0]'],
    ['descriptor.payout_function.pieces[0].curve.points[1]', 'descriptor.payout_points[2]'],
    ['descriptor.payout_function.pieces[0].curve.points', 'descriptor.payout_points[0]'],
    ['descriptor.payout_function.pieces[1].end_point', 'descriptor.payout_points[3]'],
    ['descriptor.payout_function.pieces[1].curve.d', 'descriptor.payout_points[3].hyperbola.d'],
    ['descriptor.payout_function.pieces[2].curve.points[0]', 'descriptor.payout_points[5]'],
    ['descriptor.payout_function.last_end_point', 'descriptor.payout_points[6]'],
    ['descriptor.payout_function.pieces', 'descriptor.payout_points'],
    ['descriptor.digits', 'descriptor.digits'],
    ['oracle_info.oracle_params.max_error_exp', 'oracle_params.max_error_exp'],
    ['total_collateral', 'collateral'],
  ])('%s is %s', (field, asked) => {
    expect(requestField(field, numeric, 2)).toBe(asked);
  });

  it('counts rounding as it was asked for, without the interval from 0 that is added', () => {
    expect(requestField('descriptor.rounding_intervals[1]', numeric, 2)).toBe('descriptor.rounding[1]');
    expect(requestField('descriptor.rounding_intervals[1]', numeric, 1)).toBe('descriptor.rounding[0]');
  });

  it('is payouts and oracles where outcomes are enumerated', () => {
    const enumerated = { kind: 'enumerated', payouts: [] } as const;
    expect(requestField('descriptor.payouts[1]', enumerated, 0)).toBe('payouts');
    expect(requestField('oracle_info.announcements[1]', enumerated, 0)).toBe('oracles[1]');
  });
});
