/** Tokens of models a minute: those of a prompt are taken before it is asked, those of its answer are added when it has ended. */
import { DomainError } from '../../core/errors.ts';
import { type CounterStore, windowEnd } from '../../counters/counter-store.ts';
import type { Credential } from '../requests/request-context.ts';
import { LIMIT_WINDOW_MS, tokensPerMinute } from './limit-table.ts';
import type { Allowance } from './limits.ts';

export function createTokenLimits({ counters, clock }: { counters: CounterStore; clock: () => number }) {
  async function add({ id }: Pick<Credential, 'id'>, tokens: number): Promise<number> {
    const [count = 0] = await counters.hit('credential', [`${id}:ai-tokens`], LIMIT_WINDOW_MS, tokens);
    return count;
  }

  return {
    /** Throws `rate_limited` where the prompt does not fit; then it takes nothing. */
    async take(credential: Pick<Credential, 'id' | 'tier' | 'limits'>, tokens: number): Promise<Allowance> {
      const limit = tokensPerMinute(credential);
      const count = await add(credential, tokens);
      const resetAt = windowEnd(clock(), LIMIT_WINDOW_MS) / 1000;
      if (count <= limit) return { limit, remaining: limit - count, resetAt, allowed: true };
      await add(credential, -tokens);
      const seconds = Math.max(1, Math.ceil(resetAt - clock() / 1000));
      const reason =
        tokens > limit
          ? `this prompt has about ${tokens}, which is more than any minute lets: shorten it`
          : `this prompt has about ${tokens}, and ${Math.max(0, limit - count + tokens)} are left: the next minute begins in ${seconds} s`;
      throw new DomainError(
        'rate_limited',
        `the limit is ${limit} tokens of models a minute of this credential: ${reason}`,
        {
          retryAfterSeconds: seconds,
        },
      );
    },
    /** Of the answer. */
    add: async (credential: Pick<Credential, 'id'>, tokens: number): Promise<void> => {
      if (tokens > 0) await add(credential, tokens);
    },
  };
}

export type TokenLimits = ReturnType<typeof createTokenLimits>;
