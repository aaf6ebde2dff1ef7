/** Counters of limits: in Redis for all replicas of one database where REDIS_URL is set, else of this process. */
import { base62 } from '../core/ids.ts';
import { type CounterStore, windowEnd } from '../counters/counter-store.ts';
import { createDegradingCounters } from '../counters/degrading.ts';
import { createLocalCounters, type LocalCounters } from '../counters/local.ts';
import { createRedisCounters } from '../counters/redis.ts';
import { hostOf } from '../outages/host-of.ts';
import { QUOTA_WINDOW_MS } from '../services/limits/limit-table.ts';
import { dayBucket } from '../services/limits/request-limits.ts';
import type { Store } from '../store/store.ts';
import type { AppContext } from './app-context.ts';

const NAMESPACE = 'limits.namespace';
const REDIS_PORT = 6379;
/** Credentials whose quota of the day is known after a start: those that asked most. */
const MOST_LEARNED = 50_000;

export async function openCounters(context: AppContext, store: Store): Promise<CounterStore> {
  const { config, clock, randomBytes, log, disposables } = context;
  const local = createLocalCounters({ clock });
  await learnQuotas(local, store, clock());
  if (config.redisUrl === null) return local;
  // Replicas share a database, and with it this name; another service on the same Redis has another.
  const namespace = await store.write((tx) => tx.settings.setOnce(NAMESPACE, base62(randomBytes(16), 12)));
  const shared = createRedisCounters({
    ...{ url: config.redisUrl, prefix: `ashlar:${namespace}`, clock },
    answersWithinMs: config.redisTimeoutMs,
  });
  const host = hostOf(config.redisUrl, REDIS_PORT);
  const counters = createDegradingCounters({ shared, local, log, clock, host });
  disposables.defer(() => counters.stop());
  await counters.start();
  return counters;
}

/** A start does not begin the quotas of the day anew: they go on from the usage that was written (services/usage), of all processes together. */
async function learnQuotas(local: LocalCounters, store: Pick<Store, 'read'>, now: number): Promise<void> {
  const used = await store.read.usage.ofDay(windowEnd(now, QUOTA_WINDOW_MS) - QUOTA_WINDOW_MS, MOST_LEARNED);
  const names = used.map(({ credentialId: id }) => dayBucket({ id }));
  local.learn(
    'credential',
    names,
    QUOTA_WINDOW_MS,
    used.map(({ requests }) => requests),
  );
}
