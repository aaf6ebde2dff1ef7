/** What a request uses up: its credential's share of the minute, in every bucket that it counts in, and of the day. */
import { type CounterStore, type Counts, windowEnd } from '../../counters/counter-store.ts';
import type { Credential } from '../requests/request-context.ts';
import {
  ADDRESS_LIMIT,
  type AdditiveClass,
  additivePerMinute,
  groupOf,
  LIMIT_WINDOW_MS,
  QUOTA_WINDOW_MS,
  requestsPerDay,
  requestsPerMinute,
} from './limit-table.ts';
import type { Allowance } from './limits.ts';

/** The part of an operation's declaration that decides where it counts. */
export interface LimitedOperation {
  readonly family: Parameters<typeof groupOf>[0];
  readonly limitClass: 'standard' | AdditiveClass | 'none';
}

/** The bucket that is nearest to its end, of those a request counts in. */
export interface RequestAllowance extends Allowance {
  /** What is limited, for people: `bulk requests of this credential`. */
  readonly what: string;
  readonly window: 'minute' | 'day';
}

/** Of a credential; both null where it has none. */
export interface Quota {
  readonly requestsPerDay: number | null;
  readonly requestsUsed: number | null;
  readonly resetsAt: number;
}

/** Of a credential, in windows of QUOTA_WINDOW_MS. */
export const dayBucket = ({ id }: Pick<Credential, 'id'>): string => `${id}:day`;

/** How it stands now, as far as this process or, where counters are shared, Redis has counted. */
export async function quotaOf(
  { counters, clock }: { counters: Pick<CounterStore, 'look'>; clock: () => number },
  credential: Credential,
): Promise<Quota> {
  const quota = requestsPerDay(credential);
  const [used = 0] = quota === null ? [] : await counters.look('credential', [dayBucket(credential)], QUOTA_WINDOW_MS);
  return {
    requestsPerDay: quota,
    requestsUsed: quota === null ? null : used,
    resetsAt: windowEnd(clock(), QUOTA_WINDOW_MS),
  };
}

interface Bucket {
  readonly name: string;
  readonly limit: number;
  readonly what: string;
  readonly window: 'minute' | 'day';
}

const WINDOW_MS = { minute: LIMIT_WINDOW_MS, day: QUOTA_WINDOW_MS } as const;
const FAILED = 'failed authentications from this address';
const OF_ADDRESS = { limit: ADDRESS_LIMIT, what: FAILED, window: 'minute' } as const;
const OF_CREDENTIAL = 'of this credential';

export function createRequestLimits(deps: { counters: CounterStore; clock: () => number }) {
  const { counters, clock } = deps;
  /** A credential's buckets, made once for each reading of its record. */
  const known = new WeakMap<Credential, Map<string, { buckets: Bucket[]; names: string[]; daily: string[] }>>();

  function bucketsOf(credential: Credential, { family, limitClass }: LimitedOperation) {
    let own = known.get(credential);
    if (own === undefined) {
      own = new Map();
      known.set(credential, own);
    }
    const place = limitClass === 'bulk' || limitClass === 'voting' ? family + limitClass : family;
    let found = own.get(place);
    if (found === undefined) {
      const group = groupOf(family);
      const buckets: Bucket[] = [
        {
          name: `${credential.id}:${group}`,
          limit: requestsPerMinute(credential, group),
          what: `requests ${OF_CREDENTIAL}`,
          window: 'minute',
        },
      ];
      if (limitClass === 'bulk' || limitClass === 'voting') {
        const limit = additivePerMinute(credential, limitClass);
        buckets.push({
          name: `${credential.id}:${limitClass}`,
          limit,
          what: `${limitClass} requests ${OF_CREDENTIAL}`,
          window: 'minute',
        });
      }
      const names = buckets.map(({ name }) => name);
      const quota = requestsPerDay(credential);
      const daily = quota === null ? [] : [dayBucket(credential)];
      // Behind those of the minute, as their counts are.
      for (const name of daily)
        buckets.push({ name, limit: quota as number, what: `requests ${OF_CREDENTIAL}`, window: 'day' });
      found = { buckets, names, daily };
      own.set(place, found);
    }
    return found;
  }

  function nearest(buckets: readonly Bucket[], counts: Counts): RequestAllowance {
    let least = buckets[0] as Bucket;
    let left = least.limit - (counts[0] as number);
    for (let i = 1; i < buckets.length; i++) {
      const bucket = buckets[i] as Bucket;
      const remaining = bucket.limit - (counts[i] as number);
      if (remaining < left) {
        least = bucket;
        left = remaining;
      }
    }
    return allowance(least, left);
  }

  const allowance = ({ limit, what, window }: Omit<Bucket, 'name'>, left: number): RequestAllowance => ({
    limit,
    remaining: left < 0 ? 0 : left,
    resetAt: windowEnd(clock(), WINDOW_MS[window]) / 1000,
    allowed: left >= 0,
    what,
    window,
  });

  const ofAddress = (failures: number): RequestAllowance => allowance(OF_ADDRESS, ADDRESS_LIMIT - failures);

  return {
    /** Counts one request of a credential. At once where counters are local. */
    count(credential: Credential, operation: LimitedOperation) {
      const { buckets, names, daily } = bucketsOf(credential, operation);
      const minute = counters.hit('credential', names, LIMIT_WINDOW_MS);
      if (daily.length === 0 && !(minute instanceof Promise)) return nearest(buckets, minute);
      const day = daily.length === 0 ? [] : counters.hit('credential', daily, QUOTA_WINDOW_MS);
      if (minute instanceof Promise || day instanceof Promise)
        return Promise.all([minute, day]).then(([those, further]) => nearest(buckets, those.concat(further)));
      return nearest(buckets, minute.concat(day));
    },
    /** How an address stands in failed authentications, as far as this process knows. `bucket` is the address's (hooks). */
    address: (bucket: string) => ofAddress(counters.lastSeen('address', bucket, LIMIT_WINDOW_MS)),
    /** The same after `failures` of them. */
    ofAddress,
  };
}
