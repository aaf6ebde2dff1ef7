import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  coveringPrefixes,
  digitsOf,
  digitsOfOutcome,
  endOf,
} from '../../../../src/core/dlc/outcomes/digit-prefixes.ts';

const texts = (start: bigint, end: bigint, digits: number): string[] =>
  coveringPrefixes(start, end).map((prefix) => digitsOf(prefix, digits).join(''));

/** dlcspecs' own way: what start and end share, front groupings, middle, back groupings, with its optimizations. */
function groupedAsSpecified(start: number, end: number, digits: number): string[] {
  const [first, last] = [start, end].map((outcome) => outcome.toString(2).padStart(digits, '0')) as [string, string];
  let shared = 0;
  while (shared < digits && first[shared] === last[shared]) shared++;
  const prefix = first.slice(0, shared);
  const [front, back] = [first.slice(shared), last.slice(shared)];
  if (front === '' || (/^0+$/.test(front) && /^1+$/.test(back))) return [prefix];
  const kept = front.replace(/0+$/, '') || '0';
  const groups = [kept];
  for (let length = kept.length; length > 1; length--) {
    if (kept[length - 1] === '0') groups.push(`${kept.slice(0, length - 1)}1`);
  }
  const keptBack = back.replace(/1+$/, '') || '1';
  for (let length = 2; length <= keptBack.length; length++) {
    if (keptBack[length - 1] === '1') groups.push(`${keptBack.slice(0, length - 1)}0`);
  }
  // The endpoint itself is a group already where it was shortened to one digit.
  return [...groups, keptBack].map((group) => prefix + group);
}

describe('digit prefixes', () => {
  // There without its "endpoint optimization", which makes one of the last two (…100 and …101).
  it('are those of the specification’s example', () => {
    expect(texts(5677n, 8621n, 14)).toEqual([
      '01011000101101',
      '0101100010111',
      '0101100011',
      '01011001',
      '0101101',
      '010111',
      '011',
      '100000',
      '1000010',
      '100001100',
      '10000110100',
      '100001101010',
      '1000011010110',
    ]);
  });

  it('are grouped in the specification’s order', () => {
    for (let start = 0; start < 64; start++) {
      for (let end = start; end < 64; end++) {
        if (start === 0 && end === 63) continue;
        expect(texts(BigInt(start), BigInt(end), 6)).toEqual(groupedAsSpecified(start, end, 6));
      }
    }
  });

  it('cover an interval exactly, ascending, with no two that one could stand for', () => {
    const interval = fc
      .tuple(fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }), fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }))
      .map(([a, b]) => (a < b ? [a, b] : [b, a]) as [bigint, bigint]);
    fc.assert(
      fc.property(interval, ([start, end]) => {
        const prefixes = coveringPrefixes(start, end);
        let next = start;
        for (const prefix of prefixes) {
          expect(prefix.start).toBe(next);
          expect(prefix.start % (1n << BigInt(prefix.ignored))).toBe(0n);
          next = endOf(prefix) + 1n;
        }
        expect(next).toBe(end + 1n);
        for (const [i, { start: from, ignored }] of prefixes.entries()) {
          const follower = prefixes[i + 1];
          const couldMerge = follower?.ignored === ignored && (from >> BigInt(ignored)) % 2n === 0n;
          expect(couldMerge).toBe(false);
        }
      }),
    );
  });

  it('have as many digits as matter', () => {
    expect(digitsOf({ start: 8n, ignored: 3 }, 5)).toEqual(['0', '1']);
    expect(digitsOf({ start: 0n, ignored: 5 }, 5)).toEqual([]);
    expect(digitsOfOutcome(5n, 5)).toEqual(['0', '0', '1', '0', '1']);
  });
});
