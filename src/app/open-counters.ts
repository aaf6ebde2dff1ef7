/** Counters of limits: in Redis for all replicas of one database where REDIS_URL is set, else of this process. */
import { base62 } from '../core/ids.ts';
import type { CounterStore } from '../counters/counter-store.ts';
import { createDegradingCounters } from '../counters/degrading.ts';
import { createLocalCounters } from '../counters/local.ts';
import { createRedisCounters } from '../counters/redis.ts';
import { hostOf } from '../outages/host-of.ts';
import type { Store } from '../store/store.ts';
import type { AppContext } from './app-context.ts';

const NAMESPACE = 'limits.namespace';
const REDIS_PORT = 6379;

export async function openCounters(context: AppContext, store: Store): Promise<CounterStore> {
  const { config, clock, randomBytes, log, disposables } = context;
  const local = createLocalCounters({ clock });
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
