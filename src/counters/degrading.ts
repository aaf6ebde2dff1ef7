/** Shared counters with those of this process beneath: while Redis is away each process limits by what it knows, and no request waits. */
import { createOutage, type OutageLog } from '../outages/outage.ts';
import type { CounterSpace, CounterStore, Counts } from './counter-store.ts';
import type { LocalCounters } from './local.ts';
import type { SharedCounters } from './redis.ts';

const PROBE_EVERY_MS = 250;
/** While it answers: an outage is noticed this soon, also where nobody asks. */
const LOOK_EVERY_MS = 1_000;

export interface DegradingCounters extends CounterStore {
  /** Asks Redis whether it is there; resolves when that is known. */
  start(): Promise<void>;
  stop(): void;
}

export function createDegradingCounters(deps: {
  shared: SharedCounters;
  local: LocalCounters;
  log: OutageLog;
  clock: () => number;
  /** Where Redis is, host:port. */
  host?: string | undefined;
  probeEveryMs?: number;
  lookEveryMs?: number;
}): DegradingCounters {
  const { shared, local, log, host, probeEveryMs = PROBE_EVERY_MS, lookEveryMs = LOOK_EVERY_MS } = deps;
  const outage = createOutage({
    ...{ part: 'redis', host, log, clock: deps.clock },
    began: 'Redis is away: until it is back, limits hold per process',
    ended: 'Redis is back: limits hold for all processes again',
  });
  /** Not until it has answered once. */
  let down = true;
  let probe: NodeJS.Timeout | undefined;
  let stopped = false;

  /** One warning per outage, however many requests meet it. */
  function lost(error: unknown): void {
    down = true;
    if (stopped) return;
    outage.began(error);
    lookIn(probeEveryMs);
  }
  shared.onLost(lost);

  /** One look at a time; a sooner one takes the place of a later. */
  function lookIn(ms: number): void {
    if (stopped) return;
    clearTimeout(probe);
    probe = setTimeout(() => void look(), ms).unref();
  }

  const look = (): Promise<void> =>
    shared.ping().then(() => {
      down = false;
      outage.ended();
      lookIn(lookEveryMs);
    }, lost);

  /** What Redis answers is kept here too, so that an outage goes on from it and gives nobody a fresh allowance. */
  function ask(
    asked: Promise<Counts>,
    own: Counts,
    [space, names, windowMs]: [CounterSpace, readonly string[], number],
  ): Promise<Counts> {
    return asked.then(
      (counts) => {
        local.learn(space, names, windowMs, counts);
        // What was counted here while Redis was away still counts. (Names that share a counter here do not in Redis.)
        return space === 'credential' ? counts.map((count, i) => Math.max(count, own[i] ?? 0)) : counts;
      },
      (error: unknown) => {
        lost(error);
        return own;
      },
    );
  }

  return {
    hit(space, names, windowMs, by) {
      const own = local.hit(space, names, windowMs, by);
      return down ? own : ask(shared.hit(space, names, windowMs, by), own, [space, names, windowMs]);
    },
    look(space, names, windowMs) {
      const own = local.look(space, names, windowMs);
      return down ? own : ask(shared.look(space, names, windowMs), own, [space, names, windowMs]);
    },
    lastSeen: local.lastSeen,
    status: () => ({ store: 'redis', degraded: down }),
    start: look,
    stop() {
      stopped = true;
      clearTimeout(probe);
      shared.close();
    },
  };
}
