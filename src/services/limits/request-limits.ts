/** What a request uses up: its credential's share of the minute, in every bucket that it counts in. */
import { type CounterStore, type Counts, windowEnd } from '../../counters/counter-store.ts';
import type { Credential } from '../requests/request-context.ts';
import {
  ADDRESS_LIMIT,
  type AdditiveClass,
  additivePerMinute,
  groupOf,
  LIMIT_WINDOW_MS,
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
}

interface Bucket {
  readonly name: string;
  readonly limit: number;
  readonly what: string;
}

const FAILED = 'failed authentications from this address';
const OF_CREDENTIAL = 'of this credential';

export function createRequestLimits(deps: { counters: CounterStore; clock: () => number }) {
  const { counters, clock } = deps;
  /** A credential's buckets, made once for each reading of its record. */
  const known = new WeakMap<Credential, Map<string, { buckets: Bucket[]; names: string[] }>>();

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
        },
      ];
      if (limitClass === 'bulk' || limitClass === 'voting') {
        const limit = additivePerMinute(credential, limitClass);
        buckets.push({
          name: `${credential.id}:${limitClass}`,
          limit,
          what: `${limitClass} requests ${OF_CREDENTIAL}`,
        });
      }
      found = { buckets, names: buckets.map(({ name }) => name) };
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
    return allowance(least.limit, left, least.what);
  }

  const allowance = (limit: number, left: number, what: string): RequestAllowance => ({
    limit,
    remaining: left < 0 ? 0 : left,
    resetAt: windowEnd(clock(), LIMIT_WINDOW_MS) / 1000,
    allowed: left >= 0,
    what,
  });

  const ofAddress = (failures: number): RequestAllowance => allowance(ADDRESS_LIMIT, ADDRESS_LIMIT - failures, FAILED);

  return {
    /** Counts one request of a credential. At once where counters are local. */
    count(credential: Credential, operation: LimitedOperation) {
      const { buckets, names } = bucketsOf(credential, operation);
      const counts = counters.hit('credential', names, LIMIT_WINDOW_MS);
      if (counts instanceof Promise) return counts.then((those) => nearest(buckets, those));
      return nearest(buckets, counts);
    },
    /** How an address stands in failed authentications, as far as this process knows. `bucket` is the address's (hooks). */
    address: (bucket: string) => ofAddress(counters.lastSeen('address', bucket, LIMIT_WINDOW_MS)),
    /** The same after `failures` of them. */
    ofAddress,
  };
}
