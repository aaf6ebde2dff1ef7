/** Attempts that are counted beside requests: logins of an account, wrong codes. */
import { createHash } from 'node:crypto';
import { type CounterStore, type Counts, windowEnd } from '../../counters/counter-store.ts';
import type { Allowance, Attempts } from './limits.ts';

/** Names carry what people typed in: a long one is counted by its digest. */
const MAX_NAME_LENGTH = 100;

export function createAttempts(deps: { counters: CounterStore; clock: () => number }): Attempts {
  const { counters, clock } = deps;

  const nameOf = (name: string): string =>
    name.length <= MAX_NAME_LENGTH ? `n:${name}` : `h:${createHash('sha256').update(name).digest('base64')}`;

  async function ask(
    asked: Counts | Promise<Counts>,
    { limit, windowSeconds }: { limit: number; windowSeconds: number },
    further: number,
  ): Promise<Allowance> {
    const [count = 0] = await asked;
    return {
      limit,
      remaining: Math.max(0, limit - count),
      resetAt: windowEnd(clock(), windowSeconds * 1000) / 1000,
      allowed: count + further <= limit,
    };
  }

  return {
    count: (name, allowed) => ask(counters.hit('attempt', [nameOf(name)], allowed.windowSeconds * 1000), allowed, 0),
    look: (name, allowed) => ask(counters.look('attempt', [nameOf(name)], allowed.windowSeconds * 1000), allowed, 1),
  };
}
