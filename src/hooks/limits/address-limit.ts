/**
 * Failed authentications by address, an IPv6 network of 64 bits as one: @fastify/rate-limit's limiter over our counters. Only what
 * failed passes here; why requests of credentials are counted otherwise is in docs/decisions/1051.
 */
import rateLimitPlugin, { normalizeIP } from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { CounterStore } from '../../counters/counter-store.ts';
import { ADDRESS_LIMIT, LIMIT_WINDOW_MS } from '../../services/limits/limit-table.ts';

/** The counter that an address shares with its neighbours. */
export const addressBucket = (address: string | undefined): string => normalizeIP(address ?? 'unknown', 64);

/** Counts one failure of the request's address; answers how many there are in this minute. */
export async function addressFailures(
  app: FastifyInstance,
  counters: CounterStore,
): Promise<(request: FastifyRequest) => Promise<number>> {
  await app.register(rateLimitPlugin, { global: false, store: storeOver(counters) });
  const limiter = app.createRateLimit({
    max: ADDRESS_LIMIT,
    timeWindow: LIMIT_WINDOW_MS,
    keyGenerator: (request) => addressBucket(request.ip),
  });
  return async (request) => {
    const found = await limiter(request);
    // `isAllowed` stands for an entry of an allow-list, which there is not.
    return found.isAllowed ? 0 : ADDRESS_LIMIT - found.remaining + (found.isExceeded ? 1 : 0);
  };
}

type Answer = (error: Error | null, result?: { current: number; ttl: number }) => void;

function storeOver(counters: CounterStore) {
  return class {
    incr(key: string, answer: Answer, windowMs = LIMIT_WINDOW_MS): void {
      const counted = counters.hit('address', [key], windowMs);
      Promise.resolve(counted).then(([current = 0]) => answer(null, { current, ttl: windowMs }), answer);
    }

    child(): this {
      return this;
    }
  };
}
