/** Rolling sums are those that are added up anew, whatever is given back, comes late or was dropped. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { CountedSum } from '../../../src/core/policies/policy.ts';
import { createRollingSums } from '../../../src/core/policies/rolling-sums.ts';
import { HOUR_MS, hoursOfWindow } from '../../../src/core/policies/windows.ts';

const LONGEST = 6;
const LENGTHS = [1, 3, LONGEST];
const step = fc.record({
  /** On from the step before; a clock may be an hour behind. */
  hours: fc.oneof({ weight: 8, arbitrary: fc.integer({ min: 0, max: 2 }) }, fc.constantFrom(-1, 9, 40)),
  subject: fc.constantFrom('one', 'two'),
  amountSats: fc.bigInt({ min: 1n, max: 9n }),
  late: fc.integer({ min: 0, max: 9 }),
  sign: fc.constantFrom(1, 1, -1),
});

it('are what adding up would give', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const sums = createRollingSums(new Set(['destination']), LONGEST);
      const all: { sum: CountedSum; sign: 1 | -1 }[] = [];
      let hour = 100;
      let newest = hour;
      for (const { hours, subject, amountSats, late, sign } of steps) {
        hour = hours === -1 ? newest - 1 : newest + hours;
        newest = Math.max(newest, hour);
        const sum = { scope: 'destination', subject, hour: hour - (sign === -1 ? late : 0), amountSats, count: 1 };
        all.push({ sum, sign: sign as 1 | -1 });
        sums.add(sum, sign as 1 | -1);
        sums.add({ ...sum, scope: 'wallet' }, 1);
        for (const length of LENGTHS)
          for (const whose of ['one', 'two']) {
            const { first } = hoursOfWindow(hour * HOUR_MS, length);
            const within = all.filter(({ sum: one }) => one.subject === whose && one.hour >= first);
            expect(sums.past(hour * HOUR_MS)('destination', whose, length)).toMatchObject({
              amountSats: within.reduce((total, one) => total + BigInt(one.sign) * one.sum.amountSats, 0n),
              count: within.reduce((total, one) => total + one.sign, 0),
            });
          }
        expect(sums.forget(hour * HOUR_MS)).toBe(true);
        expect(sums.size()).toBeLessThanOrEqual(2 * (LONGEST + 4));
      }
    }),
  );
});

it('are dropped some at a time', () => {
  const sums = createRollingSums(new Set(['destination']), LONGEST);
  const sum = { scope: 'destination', hour: 100, amountSats: 1n, count: 1 };
  for (let n = 0; n < 1_500; n++) sums.add({ ...sum, subject: `${n}` }, 1);
  const at = (100 + LONGEST + 2) * HOUR_MS;
  expect([sums.forget(at - HOUR_MS), sums.size()]).toEqual([true, 1_500]);
  expect([sums.forget(at), sums.size()]).toEqual([false, 500]);
  expect([sums.forget(at), sums.size()]).toEqual([true, 0]);
});
