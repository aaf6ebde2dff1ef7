/** Counters in a real Redis, and what becomes of them while it is away. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createDegradingCounters } from '../../src/counters/degrading.ts';
import { createLocalCounters } from '../../src/counters/local.ts';
import { createRedisCounters, type SharedCounters } from '../../src/counters/redis.ts';
import { noRedis, type RedisServer, startRedisServer } from '../builders/redis-server.ts';

const MINUTE = 60_000;
/** The time limit is tested by itself: elsewhere a busy machine must not fail a test. */
const PATIENT_MS = 60_000;
/** Stands, so that no window ends within a test. */
const standing = (): number => Date.UTC(2026, 0, 1);

describe.skipIf(noRedis !== null)(`Redis counters${noRedis === null ? '' : ` (skipped: ${noRedis})`}`, () => {
  let server: RedisServer;
  const opened: { close(): void }[] = [];
  beforeAll(async () => {
    server = await startRedisServer();
  });
  afterEach(() => {
    for (const one of opened.splice(0)) one.close();
  });
  afterAll(() => server.stop());

  async function shared(prefix: string, clock = standing): Promise<SharedCounters> {
    const counters = createRedisCounters({ url: server.url, prefix, clock, answersWithinMs: PATIENT_MS });
    opened.push(counters);
    await until(() =>
      counters.ping().then(
        () => true,
        () => false,
      ),
    );
    return counters;
  }

  function degrading(counters: SharedCounters) {
    const lines: string[] = [];
    const told: { host?: string; err: Error & { code?: string } }[] = [];
    const log = {
      warn: (facts: object, message: string) => {
        told.push(facts as (typeof told)[number]);
        lines.push(`warn ${message}`);
      },
      info: (_: object, message: string) => void lines.push(`info ${message}`),
    };
    const local = createLocalCounters({ clock: standing });
    const made = createDegradingCounters({
      ...{ clock: Date.now, shared: counters, local, log, probeEveryMs: 20, lookEveryMs: 20 },
      host: new URL(server.url).host,
    });
    opened.push({ close: made.stop });
    return { counters: made, lines, told };
  }

  it('count for all processes, several names in one go, and look without counting', async () => {
    const [one, two] = [await shared('both'), await shared('both')];
    expect(await one.hit('credential', ['a', 'b'], MINUTE)).toEqual([1, 1]);
    expect(await two.hit('credential', ['a'], MINUTE)).toEqual([2]);
    expect(await one.look('credential', ['a', 'b', 'c'], MINUTE)).toEqual([2, 1, 0]);
    const many = await Promise.all(
      Array.from({ length: 200 }, (_, i) => (i % 2 ? one : two).hit('address', ['x'], MINUTE)),
    );
    expect(many.map(([count]) => count).sort((a, b) => Number(a) - Number(b))).toEqual(
      Array.from({ length: 200 }, (_, i) => i + 1),
    );
  });

  it('keep services, spaces and windows apart', async () => {
    let now = Date.UTC(2026, 0, 1);
    const mine = await shared('mine', () => now);
    const theirs = await shared('theirs', () => now);
    await mine.hit('credential', ['a'], MINUTE);
    expect(await theirs.look('credential', ['a'], MINUTE)).toEqual([0]);
    expect(await mine.look('address', ['a'], MINUTE)).toEqual([0]);
    now += MINUTE;
    expect(await mine.hit('credential', ['a'], MINUTE)).toEqual([1]);
  });

  it('leave nothing in Redis when a window is over', async () => {
    const counters = await shared('short');
    await counters.hit('credential', ['a'], 50);
    const { Redis } = await import('ioredis');
    const redis = new Redis(server.url);
    await until(async () => (await redis.keys('short:*')).length === 0);
    redis.disconnect();
  });

  it('go on in each process where Redis was killed, with one warning, and together again when it is back', async () => {
    const { counters, lines } = degrading(await shared('killed'));
    await counters.start();
    for (let i = 1; i <= 5; i++) expect(await counters.hit('credential', ['a'], MINUTE)).toEqual([i]);
    await server.kill();
    const counts = [];
    for (let i = 0; i < 20; i++) counts.push((await counters.hit('credential', ['a'], MINUTE))[0]);
    // Nobody gets a fresh allowance out of an outage.
    expect(counts).toEqual(Array.from({ length: 20 }, (_, i) => i + 6));
    expect(counters.status()).toEqual({ store: 'redis', degraded: true });
    // At once, without a promise: no request waits for a Redis that is known to be away.
    expect(counters.hit('credential', ['a'], MINUTE)).not.toBeInstanceOf(Promise);
    await server.restart();
    await until(() => !counters.status().degraded);
    expect(await counters.hit('credential', ['b'], MINUTE)).toEqual([1]);
    expect(lines.map((line) => line.split(':')[0])).toEqual(['warn Redis is away', 'info Redis is back']);
  });

  it('answer within their time where Redis is there and says nothing, and leave no command waiting', async () => {
    const prompt = createRedisCounters({ url: server.url, prefix: 'frozen', clock: standing, answersWithinMs: 100 });
    opened.push(prompt);
    const { counters } = degrading(prompt);
    await until(async () => {
      await counters.start();
      return !counters.status().degraded;
    });
    server.freeze();
    try {
      const answers = await Promise.all(Array.from({ length: 50 }, () => counters.hit('credential', ['a'], MINUTE)));
      expect(answers.map(([count]) => count)).toEqual(Array.from({ length: 50 }, (_, i) => i + 1));
      expect(counters.status().degraded).toBe(true);
    } finally {
      server.thaw();
    }
    await until(() => !counters.status().degraded);
  });

  it('tell of an outage when it begins, though nobody asks, in words of ours and with the host', async () => {
    const { counters, told } = degrading(await shared('unasked'));
    await counters.start();
    await server.kill();
    await until(() => told.length > 0);
    expect(told[0]).toMatchObject({
      host: new URL(server.url).host,
      err: { message: 'the connection to it was lost' },
    });
    await server.restart();
    await until(() => !counters.status().degraded);
  });

  it('tell of a Redis that hangs, though nobody asks', async () => {
    const prompt = createRedisCounters({ url: server.url, prefix: 'hangs', clock: standing, answersWithinMs: 200 });
    opened.push(prompt);
    const { counters, told } = degrading(prompt);
    await counters.start();
    await until(() => !counters.status().degraded);
    server.freeze();
    await until(() => counters.status().degraded);
    server.thaw();
    expect(told.at(-1)?.err.message).toBe('it did not answer within 200 ms');
    await until(() => !counters.status().degraded);
  });

  it('say what a Redis that is not there, or wants a password, answers', async () => {
    const away = createRedisCounters({
      url: 'redis://127.0.0.1:1',
      prefix: 'x',
      clock: standing,
      answersWithinMs: 100,
    });
    opened.push(away);
    await expect(away.ping()).rejects.toMatchObject({ message: 'nothing listens there', code: 'ECONNREFUSED' });
    const wrong = server.url.replace('//', '//nobody:hunter2@');
    const refused = createRedisCounters({ url: wrong, prefix: 'x', clock: standing, answersWithinMs: PATIENT_MS });
    opened.push(refused);
    await expect(refused.ping()).rejects.toMatchObject({
      message: expect.stringMatching(/refuses the user or password/),
      code: 'WRONGPASS',
    });
  });

  it('say nothing where Redis is there from the start', async () => {
    const made = degrading(
      createRedisCounters({ url: server.url, prefix: 'fresh', clock: standing, answersWithinMs: PATIENT_MS }),
    );
    await made.counters.start();
    expect(made.counters.status().degraded).toBe(false);
    expect(await made.counters.hit('credential', ['a'], MINUTE)).toEqual([1]);
    expect(made.lines).toEqual([]);
  });

  it('start without Redis, and take it when it comes', async () => {
    await server.kill();
    const counters = createRedisCounters({
      ...{ url: server.url, prefix: 'late', clock: standing, answersWithinMs: PATIENT_MS },
    });
    const made = degrading(counters);
    await made.counters.start();
    expect(made.counters.status().degraded).toBe(true);
    expect(made.counters.hit('credential', ['a'], MINUTE)).toEqual([1]);
    await server.restart();
    await until(() => !made.counters.status().degraded);
    expect(made.lines).toHaveLength(2);
  });
});

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(10);
}
