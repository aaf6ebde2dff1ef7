/** Whatever is asked in whatever order: bounds hold, nobody idles, and how long an account waits depends on how many accounts there are. */
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { DomainError } from '../../src/core/errors.ts';
import { type Asker, createFairQueue, type FairQueue, type FairQueueOptions } from '../../src/scheduling/fair-queue.ts';

interface Asked extends Asker {
  readonly id: number;
  state: 'waits' | 'under way' | 'over' | 'left';
  end(): void;
  leave(): void;
}

const settled = () => new Promise((resolve) => setImmediate(resolve));
const busy = () => new DomainError('unavailable', 'too much', { retryAfterSeconds: 1 });

/** What was asked of the queue, and what has begun, in order. */
function asking(options: FairQueueOptions, queue: FairQueue = createFairQueue(options)) {
  const all: Asked[] = [];
  const begun: Asked[] = [];
  const ask = (accountId: string, more: Omit<Asker, 'accountId' | 'signal'> = {}): Asked => {
    const given = new AbortController();
    const { promise, resolve } = Promise.withResolvers<void>();
    const one: Asked = { ...more, accountId, id: all.length, state: 'waits', end: resolve, leave: () => given.abort() };
    all.push(one);
    const work = async () => {
      one.state = 'under way';
      begun.push(one);
      await promise;
    };
    queue.take({ ...more, accountId, signal: given.signal }, work).then(
      () => {
        one.state = 'over';
      },
      () => {
        one.state = 'left';
      },
    );
    return one;
  };
  const inState = (state: Asked['state']) => all.filter((one) => one.state === state);
  return { queue, all, begun, ask, inState };
}

type Step = { do: 'ask'; account: number; host: number; behind: boolean } | { do: 'end' | 'leave'; which: number };
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('ask' as const),
      account: fc.nat(4),
      host: fc.nat(3),
      behind: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('end' as const, 'leave' as const), which: fc.nat(30) }) },
);
const most = fc.integer({ min: 1, max: 4 });

describe('a fair queue', () => {
  it('keeps its bounds, begins what may begin, and takes each account and host in the order it asked', async () => {
    await fc.assert(
      fc.asyncProperty(most, most, most, fc.array(step, { maxLength: 60 }), async (all, ofAccount, ofHost, steps) => {
        const { ask, inState, begun, queue } = asking({ all, ofAccount, ofHost, patienceMs: 60_000 });
        const count = (of: Asked[], key: 'accountId' | 'host', value: unknown) =>
          of.filter((one) => one[key] === value).length;
        for (const one of steps) {
          if (one.do === 'ask') {
            const host = one.host === 0 ? {} : { host: `host ${one.host}` };
            ask(`account ${one.account}`, { ...host, behind: one.behind });
          } else {
            const among = inState(one.do === 'end' ? 'under way' : 'waits');
            const chosen = among[one.which % among.length];
            if (one.do === 'end') chosen?.end();
            else chosen?.leave();
          }
          await settled();
          const under = inState('under way');
          const ahead = under.filter(({ behind }) => !behind);
          expect(under.length).toBeLessThanOrEqual(all);
          for (const waits of inState('waits')) {
            const full =
              under.length === all ||
              (!waits.behind && count(ahead, 'accountId', waits.accountId) === ofAccount) ||
              (waits.host !== undefined && count(under, 'host', waits.host) === ofHost);
            expect(full).toBe(true);
          }
          for (const { accountId, host } of under) {
            expect(count(ahead, 'accountId', accountId)).toBeLessThanOrEqual(ofAccount);
            if (host !== undefined) expect(count(under, 'host', host)).toBeLessThanOrEqual(ofHost);
          }
        }
        for (let left = inState('under way'); left.length > 0; left = inState('under way')) {
          for (const one of left) one.end();
          await settled();
        }
        expect(inState('waits')).toEqual([]);
        await queue.ended();
        const sorts = Map.groupBy(begun, ({ accountId, host, behind }) => `${accountId} ${host} ${behind}`);
        for (const sort of sorts.values()) {
          const ids = sort.map(({ id }) => id);
          expect(ids).toEqual(ids.toSorted((a, b) => a - b));
        }
      }),
    );
  });

  it('begins one of an account before any other account has had a second, whatever those have asked for', async () => {
    await fc.assert(
      fc.asyncProperty(most, fc.array(fc.integer({ min: 1, max: 20 }), { maxLength: 6 }), async (all, others) => {
        const { ask, begun, inState } = asking({ all });
        for (const [account, length] of others.entries()) {
          for (let at = 0; at < length; at++) ask(`other ${account}`);
        }
        const [first, second] = [ask('mine'), ask('mine')];
        await settled();
        for (const one of [first, second]) {
          const before = begun.length;
          while (one.state === 'waits') {
            inState('under way')[0]?.end();
            await settled();
          }
          expect(begun.indexOf(one) - before).toBeLessThanOrEqual(others.length);
        }
      }),
    );
  });

  it('costs the same however many wait', async () => {
    // With a cost that grows with what waits, this would not end in time.
    const queue = createFairQueue({ all: 4, ofAccount: 2, ofHost: 2 });
    const given = new AbortController();
    let done = 0;
    const work = async () => void done++;
    const left = Array.from({ length: 40_000 }, (_, at) => {
      const asker = { accountId: `account ${at % 3}`, host: `host ${at % 2}` };
      queue.offer(`key ${at}`, asker, work);
      return queue.take({ ...asker, signal: given.signal }, work).catch(() => 'left');
    });
    given.abort();
    await queue.ended();
    expect(done).toBeGreaterThanOrEqual(40_000);
    expect((await Promise.all(left)).filter((one) => one === 'left')).toHaveLength(80_000 - done);
  });

  it('does not take an offer twice; what is dismissed may be offered again', async () => {
    const queue = createFairQueue({ all: 1 });
    const begun: string[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    const offer = (key: string) =>
      queue.offer(key, { accountId: 'a' }, () => {
        begun.push(key);
        return promise;
      });
    for (const key of ['1', '2', '2', '3']) offer(key);
    queue.dismiss('others come');
    for (const key of ['1', '3', '2']) offer(key);
    resolve();
    await queue.ended();
    offer('1');
    await queue.ended();
    expect(begun).toEqual(['1', '3', '2', '1']);
  });
});

describe('an account that asks for more than its share', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it('is refused, and no other account for it', async () => {
    const { ask, inState, queue } = asking({ all: 2, waiting: 2, busy });
    for (let at = 0; at < 10; at++) ask('much');
    await settled();
    expect(inState('left').map(({ id }) => id)).toEqual([4, 5, 6, 7, 8, 9]);
    for (const account of ['b', 'c', 'd']) for (let at = 0; at < 2; at++) ask(account);
    ask('much', { behind: true });
    await settled();
    expect(inState('left')).toHaveLength(6);
    await expect(queue.take({ accountId: 'much' }, settled)).rejects.toMatchObject({
      details: { retryAfterSeconds: 1 },
    });
  });

  it('is refused what has waited too long, and what is slow goes on', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { ask, inState } = asking({ all: 1, waitMs: 1_000, busy });
    const [slow] = [ask('a'), ask('b'), ask('c', { behind: true })];
    await settled();
    vi.advanceTimersByTime(1_000);
    await settled();
    expect(inState('left').map(({ accountId }) => accountId)).toEqual(['b']);
    slow?.end();
    await settled();
    expect(inState('under way').map(({ accountId }) => accountId)).toEqual(['c']);
  });
});
