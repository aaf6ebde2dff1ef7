/** Who has figures of their own, however many ask. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  MOST_CREDENTIALS,
  type NamedCredential,
  nameCredentials,
} from '../../../src/core/metrics/named-credentials.ts';

const count = (known: readonly NamedCredential[], asking: ReadonlyMap<string, number>, day: number) => {
  const { named, gone } = nameCredentials(known, asking, day);
  const kept = known.filter(({ credentialId }) => !gone.includes(credentialId) && !named.includes(credentialId));
  return [...kept, ...named.map((credentialId) => ({ credentialId, day, requests: asking.get(credentialId) ?? 0 }))];
};
const many = (first: number, length: number, requests = 1) =>
  new Map(Array.from({ length }, (_, n) => [`key_${first + n}`, requests + n]));

it('the busiest come first, and of yesterday the busiest stay while others come', () => {
  let known = count([], many(0, MOST_CREDENTIALS + 10), 1);
  expect(known.map(({ credentialId }) => credentialId)).not.toContain('key_9');
  expect(known).toHaveLength(MOST_CREDENTIALS);
  known = count(known, many(1_000, MOST_CREDENTIALS - 1), 2);
  expect(known.filter(({ day }) => day === 1)).toEqual([{ credentialId: 'key_59', day: 1, requests: 60 }]);
  known = count(known, new Map([['key_59', 1]]), 2);
  expect(count(known, many(2_000, 5), 2)).toEqual(known);
});

it('there are never more than there are places, of a day no more have had one, and who asks with one keeps it', () => {
  const asking = fc.record({
    first: fc.nat(200),
    length: fc.nat(40),
    requests: fc.nat(5),
    days: fc.constantFrom(0, 0, 1, 9),
  });
  fc.assert(
    fc.property(fc.array(asking, { maxLength: 20 }), (steps) => {
      let known: NamedCredential[] = [];
      let day = 0;
      const had = new Map<number, Set<string>>();
      for (const { first, length, requests, days } of steps) {
        day += days;
        const asked = many(first, length, requests);
        const before = known.filter(({ credentialId }) => asked.has(credentialId));
        known = count(known, asked, day);
        const names = new Set(known.map(({ credentialId }) => credentialId));
        expect(names.size).toBe(known.length);
        expect(before.every(({ credentialId }) => names.has(credentialId))).toBe(true);
        const today = known.filter((one) => one.day === day).map(({ credentialId }) => credentialId);
        had.set(day, new Set([...(had.get(day) ?? []), ...today]));
        expect(Math.max(known.length, had.get(day)?.size ?? 0)).toBeLessThanOrEqual(MOST_CREDENTIALS);
      }
    }),
  );
});
