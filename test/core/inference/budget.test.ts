/** What calls of models cost, and what fits into a budget by day and month. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  addedOn,
  type BudgetSums,
  costOf,
  countedDay,
  dayOf,
  formatUsd,
  shortageOf,
  startOfDay,
  startOfMonth,
  sumsOn,
} from '../../../src/core/inference/budget.ts';

const NONE = { tokensPerDay: null, tokensPerMonth: null, microsPerDay: null, microsPerMonth: null };
const day = (text: string): number => dayOf(Date.parse(`${text}T12:00:00Z`));
const sums = (on: string, amount: bigint): BudgetSums => ({
  ...{ day: day(on), dayTokens: amount, dayMicros: amount, monthTokens: amount, monthMicros: amount },
});

it('rounds a cost up, and takes nothing where there is no price', () => {
  const price = { inputPerMillion: 150_000n, outputPerMillion: 600_000n };
  expect(costOf(price, 1, 0)).toBe(1n);
  expect(costOf(price, 1_000_000, 1_000_000)).toBe(750_000n);
  expect(costOf(price, 0, 0)).toBe(0n);
  expect(costOf(null, 5, 5)).toBe(0n);
  expect(['0', '1', '750000', '12345678'].map((micros) => formatUsd(BigInt(micros)))).toEqual([
    '0.000000',
    '0.000001',
    '0.750000',
    '12.345678',
  ]);
});

it('begins anew with the day and the month, and goes on with the day of a clock that is a little ahead', () => {
  const used = sums('2026-11-30', 5n);
  expect(sumsOn(used, day('2026-11-30'))).toEqual(used);
  expect(sumsOn(sums('2026-11-29', 5n), day('2026-11-30'))).toMatchObject({ dayTokens: 0n, monthTokens: 5n });
  expect(sumsOn(used, day('2026-12-01'))).toMatchObject({ dayMicros: 0n, monthMicros: 0n });
  expect(countedDay(100, [{ day: 101 }, { day: 90 }])).toBe(101);
  expect(countedDay(100, [{ day: 102 }])).toBe(100);
  expect(startOfMonth(day('2028-02-29'))).toBe(Date.parse('2028-02-01T00:00:00Z'));
  // Of a call of the day before only the month has something to give back.
  const back = addedOn(sums('2026-11-29', 9n), day('2026-11-28'), { tokens: -4n, micros: -20n });
  expect(back).toMatchObject({ dayTokens: 9n, monthTokens: 5n, dayMicros: 9n, monthMicros: 0n });
});

it('says what does not fit, and when it will', () => {
  const used = sums('2026-12-31', 8n);
  const wanted = { tokens: 3n, micros: 2n };
  expect(shortageOf(NONE, used, wanted)).toBeNull();
  expect(shortageOf({ ...NONE, tokensPerDay: 11n, microsPerMonth: 10n }, used, wanted)).toBeNull();
  const until = Date.parse('2027-01-01T00:00:00Z');
  expect(shortageOf({ ...NONE, tokensPerDay: 10n }, used, wanted)).toEqual({
    unit: 'tokens',
    per: 'day',
    limit: 10n,
    used: 8n,
    wanted: 3n,
    until,
  });
  expect(shortageOf({ ...NONE, tokensPerDay: 10n, microsPerMonth: 9n }, used, wanted)).toMatchObject({ per: 'month' });
  expect(shortageOf({ ...NONE, microsPerDay: 8n }, used, { tokens: 1n, micros: 0n })).toBeNull();
});

it('never lets more through than a budget has, and is back at what was used when all have ended', () => {
  const call = fc.record({ most: fc.bigInt(0n, 50n), used: fc.bigInt(0n, 50n), later: fc.nat(2) });
  fc.assert(
    fc.property(fc.array(call, { maxLength: 30 }), fc.bigInt(0n, 200n), (calls, limit) => {
      const today = 20_000;
      let now: BudgetSums = { day: today, dayTokens: 0n, dayMicros: 0n, monthTokens: 0n, monthMicros: 0n };
      const limits = { ...NONE, microsPerMonth: limit };
      let spent = 0n;
      const open: { most: bigint; used: bigint }[] = [];
      const end = ({ most, used }: { most: bigint; used: bigint }) => {
        const took = used < most ? used : most;
        spent += took;
        now = addedOn(now, today, { tokens: 0n, micros: took - most });
      };
      for (const one of calls) {
        if (shortageOf(limits, now, { tokens: 0n, micros: one.most }) === null) {
          now = addedOn(now, today, { tokens: 0n, micros: one.most });
          open.push(one);
        }
        if (one.later === 0 && open.length > 0) end(open.shift()!);
      }
      open.forEach(end);
      expect(now.monthMicros).toBe(spent);
      expect(spent <= limit).toBe(true);
      expect(startOfDay(today)).toBe(today * 86_400_000);
    }),
  );
});
