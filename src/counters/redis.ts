/** Counters in Redis, for all processes of one database. One script per request; nothing waits longer than a moment or in a queue. */
import { Redis } from 'ioredis';
import type { CounterSpace, Counts } from './counter-store.ts';

/** Counters that another process keeps. Rejects where it does not answer in time. */
export interface SharedCounters {
  hit(space: CounterSpace, names: readonly string[], windowMs: number): Promise<Counts>;
  look(space: CounterSpace, names: readonly string[], windowMs: number): Promise<Counts>;
  ping(): Promise<void>;
  close(): void;
}

const CONNECTS_WITHIN_MS = 1_000;
const LONGEST_RETRY_MS = 1_000;

/** KEYS: counters. ARGV[1]: milliseconds a new one lives. Counting and expiry are one step, so that no counter stays for ever. */
const HIT = `
local counts = {}
for i, key in ipairs(KEYS) do
  local count = redis.call('INCR', key)
  if count == 1 then redis.call('PEXPIRE', key, ARGV[1]) end
  counts[i] = count
end
return counts`;

interface Scripted {
  hitCounters(keys: number, ...keysAndLife: (string | number)[]): Promise<number[]>;
}

export function createRedisCounters(deps: {
  url: string;
  /** Keeps services apart that share a Redis. */
  prefix: string;
  clock: () => number;
  answersWithinMs: number;
}): SharedCounters {
  const { url, prefix, clock, answersWithinMs } = deps;
  const redis = new Redis(url, {
    connectTimeout: CONNECTS_WITHIN_MS,
    // While Redis is away a command fails at once, and none is kept to be sent later: its window would be another.
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    // What the requests of one turn ask goes out together.
    enableAutoPipelining: true,
    retryStrategy: (times) => Math.min(times * 100, LONGEST_RETRY_MS),
  });
  redis.defineCommand('hitCounters', { lua: HIT });
  // Told by the commands that fail; without a listener ioredis writes to the console.
  redis.on('error', () => {});
  const scripted = redis as unknown as Scripted;

  const keysOf = (space: CounterSpace, names: readonly string[], windowMs: number): string[] => {
    const window = `${prefix}:${space}:${windowMs}:${Math.floor(clock() / windowMs)}:`;
    return names.map((name) => window + name);
  };

  /** A connection that went silent is given up: what hangs on it is dropped, and a new one is tried. */
  let ending = false;
  function silent(): void {
    if (ending || redis.status !== 'ready') return;
    ending = true;
    redis.disconnect(true);
  }
  redis.on('close', () => {
    ending = false;
  });

  return {
    hit(space, names, windowMs) {
      const keys = keysOf(space, names, windowMs);
      return inTime(scripted.hitCounters(keys.length, ...keys, windowMs), answersWithinMs, silent);
    },
    async look(space, names, windowMs) {
      const found = await inTime(redis.mget(keysOf(space, names, windowMs)), answersWithinMs, silent);
      return found.map((count) => Number(count ?? 0));
    },
    async ping() {
      await connected(redis);
      await inTime(redis.ping(), answersWithinMs, silent);
    },
    close: () => redis.disconnect(),
  };
}

/** Resolves once commands may be sent; rejects where that takes too long. */
function connected(redis: Redis): Promise<void> {
  if (redis.status === 'ready') return Promise.resolve();
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      redis.off('ready', ready);
      reject(new Error(`Redis could not be reached within ${CONNECTS_WITHIN_MS} ms`));
    }, CONNECTS_WITHIN_MS).unref();
    function ready(): void {
      clearTimeout(timer);
      resolve();
    }
    redis.once('ready', ready);
  });
}

/** Where this process itself was held up, the answer may lie in the socket unread: that is read before time is called. */
function inTime<T>(asked: Promise<T>, withinMs: number, onSilence: () => void): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      setImmediate(() => {
        reject(new Error(`Redis did not answer within ${withinMs} ms`));
        onSilence();
      });
    }, withinMs);
    asked.then(
      (value) => {
        clearTimeout(timer);
        resolve(value);
      },
      (error: unknown) => {
        clearTimeout(timer);
        reject(error as Error);
      },
    );
  });
}
