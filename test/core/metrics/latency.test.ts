import fc from 'fast-check';
import { expect, it } from 'vitest';
import { boundOf, percentile } from '../../../src/core/metrics/latency.ts';
import { formatValue } from '../../../src/core/metrics/metric-table.ts';

it('a percentile of merged classes is at least what it is of the durations, and at most 1.5 times that', () => {
  const durations = fc.array(fc.double({ min: 2, max: 20_000, noNaN: true }), { minLength: 1, maxLength: 300 });
  fc.assert(
    fc.property(durations, fc.integer({ min: 1, max: 100 }), (took, percent) => {
      const counts = took.map((ms) => ({ bound: boundOf(ms), items: 1n }));
      const exact = took.toSorted((a, b) => a - b)[Math.ceil((took.length * percent) / 100) - 1]!;
      const found = Number(percentile(BigInt(percent), counts));
      expect(found).toBeGreaterThanOrEqual(exact);
      expect(found).toBeLessThanOrEqual(exact * 1.5);
    }),
  );
  expect(percentile(95n, [])).toBe(0n);
  expect(boundOf(10 ** 9)).toBe(boundOf(40_000));
});

it('values have the decimals of their unit, and keep their sign', () => {
  expect([
    formatValue(-5n, 'btc'),
    formatValue(1_234_567n, 'ratio'),
    formatValue(-12n, 'count'),
    formatValue(0n, 'ms'),
  ]).toEqual(['-0.00000005', '1.234567', '-12', '0']);
});
