import { describe, expect, it } from 'vitest';
import { inTurns } from '../../../src/services/addresses/scan-turns.ts';

/** "a1": the first scan of account a. */
const scans = (names: string) => names.split(' ').map((name) => ({ accountId: name[0] as string, name }));
const order = (open: string, lastTurn: Record<string, number> = {}) =>
  inTurns(scans(open), new Map(Object.entries(lastTurn)))
    .map(({ name }) => name)
    .join(' ');

describe('open scans', () => {
  it('take turns by account, the oldest of each first', () => {
    expect(order('a1 a2 a3 b1 c1')).toBe('a1 b1 c1 a2 a3');
  });

  it('of an account that had its turn come after those of accounts that wait, however old they are', () => {
    expect(order('a2 a3 b1', { a: 1 })).toBe('b1 a2 a3');
    expect(order('a3 b2 c1', { a: 1, b: 2 })).toBe('c1 a3 b2');
    expect(order('a3 a4', { a: 3 })).toBe('a3 a4');
  });
});
