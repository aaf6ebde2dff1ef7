/** Counters in Redis, for all processes of one database. One script per request; nothing waits longer than a moment or in a queue. */
import { Redis } from 'ioredis';
import type { CounterSpace } from './counter-store.ts';

const CONNECTS_WITHIN_MS = 1_000;
const MAX_RETRY_MS = 1_000;

/** KEYS: counters. ARGV[1]: milliseconds a new one lives; ARGV[2]: what is counted. Counting and expiry are one step, so that no counter stays for ever. */
const HIT = `
local counts = {}
for i, key in ipairs(KEYS) do
  local count = redis.call('INCRBY', key, ARGV[2])
  if count == tonumber(ARGV[2]) then redis.call('PEXPIRE', key, ARGV[1]) end
  counts[i] = count
end
return counts`;

interface Scripted {
  hitCounters(keys: number, ...keysAndLife: (string | number)[]): Promise<number[]>;
}

/** Counters that another process keeps. Rejects where it does not answer in time. */
export function createRedisCounters(deps: {
  url: string;
  /** Keeps services apart that share a Redis. */
  prefix: string;
  clock: () => number;
  answersWithinMs: number;
}) {
  const { url, prefix, clock, answersWithinMs } = deps;
  const redis = new Redis(url, {
    connectTimeout: CONNECTS_WITHIN_MS,
    // While Redis is away a command fails at once, and none is kept to be sent later: its window would be another.
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    // What the requests of one turn ask goes out together.
    enableAutoPipelining: true,
    retryStrategy: (times) => Math.min(times * 100, MAX_RETRY_MS),
  });
  redis.defineCommand('hitCounters', { lua: HIT });
  // Told by the commands that fail; without a listener ioredis writes to the console.
  let met: unknown = null;
  redis.on('error', (error) => {
    met = error;
  });
  redis.on('ready', () => {
    met = null;
  });
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

  const ask = <T>(asked: Promise<T>): Promise<T> =>
    inTime(asked, answersWithinMs, silent).catch((error: unknown) => {
      throw inOurWords(error, met);
    });

  return {
    hit(space: CounterSpace, names: readonly string[], windowMs: number, by = 1) {
      const keys = keysOf(space, names, windowMs);
      return ask(scripted.hitCounters(keys.length, ...keys, windowMs, by));
    },
    async look(space: CounterSpace, names: readonly string[], windowMs: number) {
      const found = await ask(redis.mget(keysOf(space, names, windowMs)));
      return found.map((count) => Number(count ?? 0));
    },
    async ping() {
      await connected(redis).catch((error: unknown) => {
        throw inOurWords(error, met);
      });
      await ask(redis.ping());
    },
    /** Told once when a connection that stood has ended. */
    onLost(listener: (error: Error) => void) {
      let stood = redis.status === 'ready';
      redis.on('ready', () => {
        stood = true;
      });
      redis.on('close', () => {
        if (stood) listener(new RedisAway('the connection to it was lost'));
        stood = false;
      });
    },
    close: () => redis.disconnect(),
  };
}

export type SharedCounters = ReturnType<typeof createRedisCounters>;

/** Why Redis cannot be used, in a sentence of ours; `code` is the system's, or Redis' own. */
class RedisAway extends Error {
  readonly code: string | undefined;
  constructor(message: string, code?: string) {
    super(message);
    this.name = 'RedisAway';
    this.code = code;
  }
}

const SAYS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'no such host is known',
  EAI_AGAIN: 'the name server does not answer',
  NOAUTH: 'it wants a password: name it in REDIS_URL',
  WRONGPASS: 'it refuses the user or password of REDIS_URL',
  NOPERM: 'the user of REDIS_URL may not do what counting needs',
  READONLY: 'it is a replica, which takes no writes: name the primary in REDIS_URL',
  OOM: 'it has no memory left',
  LOADING: 'it is starting',
  MISCONF: 'it takes no writes while it cannot save its data',
};

/** `met`: what the connection failed with last, which a command that finds none does not say. */
function inOurWords(error: unknown, met: unknown): unknown {
  const refused = (error as Error | null)?.name === 'ReplyError';
  const cause = refused || met === null ? error : met;
  const { code, message = '', name } = cause as NodeJS.ErrnoException;
  // Redis says its own codes as the first word (redis.io, RESP errors).
  const word = name === 'ReplyError' ? message.split(' ', 1)[0] : code;
  const sentence = SAYS[word ?? ''];
  if (sentence !== undefined) return new RedisAway(sentence, word);
  if (error instanceof RedisAway) return error;
  return new RedisAway(refused ? 'it refuses what it is asked' : 'the connection to it was lost', word);
}

/** Resolves once commands may be sent; rejects where that takes too long. */
function connected(redis: Redis): Promise<void> {
  if (redis.status === 'ready') return Promise.resolve();
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      redis.off('ready', ready);
      reject(new RedisAway(`it could not be reached within ${CONNECTS_WITHIN_MS} ms`));
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
        reject(new RedisAway(`it did not answer within ${withinMs} ms`));
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
