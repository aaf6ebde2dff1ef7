import { describe, expect, it } from 'vitest';
import { windowEnd } from '../../src/counters/counter-store.ts';
import { createLocalCounters } from '../../src/counters/local.ts';

const MINUTE = 60_000;
const START = Date.UTC(2026, 0, 1, 12, 30, 20);

function counters(mostNames?: { address?: number; attempt?: number }) {
  const time = { now: START };
  const local = createLocalCounters({ clock: () => time.now, ...(mostNames === undefined ? {} : { mostNames }) });
  return { time, local };
}

describe('local counters', () => {
  it('count each name by itself, in windows aligned to the minute', () => {
    const { time, local } = counters();
    expect(local.hit('credential', ['a', 'b'], MINUTE)).toEqual([1, 1]);
    expect(local.hit('credential', ['b'], MINUTE, 5)).toEqual([6]);
    expect(local.hit('credential', ['a'], MINUTE)).toEqual([2]);
    time.now = Date.UTC(2026, 0, 1, 12, 30, 59, 999);
    expect(local.hit('credential', ['a'], MINUTE)).toEqual([3]);
    time.now += 1;
    expect(local.hit('credential', ['a'], MINUTE)).toEqual([1]);
    expect(windowEnd(START, MINUTE)).toBe(Date.UTC(2026, 0, 1, 12, 31));
    expect(windowEnd(Date.UTC(2026, 0, 1, 12, 31), MINUTE)).toBe(Date.UTC(2026, 0, 1, 12, 32));
  });

  it('tell how a count stands without counting', () => {
    const { local } = counters();
    local.hit('attempt', ['a'], MINUTE);
    expect(local.look('attempt', ['a', 'b'], MINUTE)).toEqual([1, 0]);
    expect(local.look('attempt', ['a'], MINUTE)).toEqual([1]);
    expect(local.lastSeen('attempt', 'a', MINUTE)).toBe(1);
  });

  it('keep spaces and lengths of window apart', () => {
    const { local } = counters();
    local.hit('credential', ['a'], MINUTE);
    expect(local.hit('address', ['a'], MINUTE)).toEqual([1]);
    expect(local.hit('credential', ['a'], 2 * MINUTE)).toEqual([1]);
  });

  it('hold no more names of addresses than they may: further ones share a counter, and no known one is forgotten', () => {
    const { time, local } = counters({ address: 100 });
    local.hit('address', ['known'], MINUTE);
    for (let i = 0; i < 10_000; i++) local.hit('address', [`invented ${i}`], MINUTE);
    expect(local.size()).toBe(101);
    expect(local.hit('address', ['known'], MINUTE)).toEqual([2]);
    expect(local.hit('address', ['invented 3'], MINUTE)).toEqual([2]);
    const [overflow = 0] = local.look('address', ['never seen'], MINUTE);
    expect(overflow).toBe(10_000 - 99);
    expect(local.hit('address', ['another new one'], MINUTE)).toEqual([overflow + 1]);
    time.now += MINUTE;
    expect(local.hit('address', ['never seen'], MINUTE)).toEqual([1]);
    expect(local.size()).toBe(1);
  });

  it('never share a counter between credentials', () => {
    const { local } = counters({ address: 1, attempt: 1 });
    for (let i = 0; i < 1_000; i++) local.hit('credential', [`key_${i}`], MINUTE);
    expect(local.look('credential', ['key_0', 'key_999', 'key_1000'], MINUTE)).toEqual([1, 1, 0]);
  });

  it('learn what another store told, never downwards', () => {
    const { local } = counters({ address: 1 });
    local.hit('address', ['a'], MINUTE);
    local.learn('address', ['a', 'b'], MINUTE, [7, 9]);
    expect(local.look('address', ['a'], MINUTE)).toEqual([7]);
    local.learn('address', ['a'], MINUTE, [3]);
    expect(local.look('address', ['a'], MINUTE)).toEqual([7]);
    expect(local.size()).toBe(1);
  });
});
