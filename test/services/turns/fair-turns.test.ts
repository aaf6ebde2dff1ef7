import { describe, expect, it } from 'vitest';
import { createFairTurns, type Turn } from '../../../src/services/turns/fair-turns.ts';

/** Turns that end when they are told to; `begun` has their keys, in order. */
function held() {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const turn = (key: string, accountId: string, host?: string): Turn => ({
    key,
    accountId,
    ...(host === undefined ? {} : { host }),
    run: () =>
      new Promise<void>((resolve) => {
        begun.push(key);
        ends.set(key, resolve);
      }),
  });
  const end = async (key: string) => {
    ends.get(key)?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { begun, turn, end };
}

describe('turns', () => {
  it('are taken by accounts in turn, a few of each', async () => {
    const { begun, turn, end } = held();
    const { offer } = createFairTurns({ all: 3, ofAccount: 2 });
    offer([
      ...['a1', 'a2', 'a3', 'a4'].map((key) => turn(key, 'a')),
      turn('b1', 'b'),
      turn('b2', 'b'),
      turn('c1', 'c'),
    ]);
    expect(begun).toEqual(['a1', 'b1', 'c1']);
    await end('c1');
    await end('a1');
    expect(begun.slice(3)).toEqual(['a2', 'b2']);
    await end('b1');
    await end('b2');
    // Of a there are two under way already, once.
    expect(begun.slice(5)).toEqual(['a3']);
  });

  it('let others by where their host is full', async () => {
    const { begun, turn, end } = held();
    const { offer } = createFairTurns({ all: 9, ofAccount: 9, ofHost: 1 });
    offer([
      turn('a1', 'a', 'x'),
      turn('a2', 'a', 'x'),
      turn('a3', 'a', 'y'),
      turn('b1', 'b', 'x'),
      turn('b2', 'b', 'z'),
    ]);
    expect(begun).toEqual(['a1', 'b2', 'a3']);
    await end('a1');
    expect(begun).toHaveLength(4);
  });

  it('are not under way twice; what is offered replaces what waits, what is added comes behind it', async () => {
    const { begun, turn, end } = held();
    const { offer, add, ended } = createFairTurns({ all: 1, ofAccount: 1 });
    offer([turn('1', 'a'), turn('dropped', 'a')]);
    offer([turn('1', 'a'), turn('2', 'a'), turn('2', 'a')]);
    add([turn('3', 'a'), turn('2', 'a')]);
    let over = false;
    const ending = ended().then(() => {
      over = true;
    });
    for (const key of ['1', '2']) await end(key);
    expect(over).toBe(false);
    await end('3');
    await ending;
    expect(begun).toEqual(['1', '2', '3']);
    offer([turn('1', 'a')]);
    expect(begun).toEqual(['1', '2', '3', '1']);
  });

  it('are all taken, of however many of one account', async () => {
    const { offer, ended } = createFairTurns({ all: 16, ofAccount: 4 });
    let done = 0;
    offer(Array.from({ length: 20_000 }, (_, n) => ({ key: `k${n}`, accountId: 'a', run: async () => done++ })));
    await ended();
    expect(done).toBe(20_000);
  });
});
