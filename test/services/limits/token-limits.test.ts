/** Tokens of models a minute, by tier or by the key's own number. */
import { expect, it } from 'vitest';
import { createLocalCounters } from '../../../src/counters/local.ts';
import { createTokenLimits } from '../../../src/services/limits/token-limits.ts';

it('are taken before a call, added to after it, and there again in the next minute', async () => {
  let now = Date.parse('2026-11-28T16:00:20Z');
  const clock = () => now;
  const limits = createTokenLimits({ counters: createLocalCounters({ clock }), clock });
  const free = { id: 'key_free', tier: 'free', limits: null } as const;
  expect(await limits.take(free, 15_000)).toEqual({
    ...{ limit: 20_000, remaining: 5_000, allowed: true },
    resetAt: Date.parse('2026-11-28T16:01:00Z') / 1000,
  });
  await expect(limits.take(free, 6_000)).rejects.toMatchObject({
    ...{ code: 'rate_limited', details: { retryAfterSeconds: 40 } },
    message: expect.stringMatching(/about 6000, and 5000 are left/),
  });
  await limits.add(free, 4_000);
  expect((await limits.take(free, 500)).remaining).toBe(500);
  await expect(limits.take(free, 20_001)).rejects.toThrow(/more than any minute lets/);
  now += 40_000;
  expect((await limits.take(free, 20_000)).remaining).toBe(0);
  expect((await limits.take({ ...free, id: 'key_pro', tier: 'pro' }, 150_000)).remaining).toBe(50_000);
  const own = { id: 'key_own', tier: 'custom', limits: { ai_tokens_per_minute: 10 } } as const;
  await expect(limits.take(own, 11)).rejects.toMatchObject({ code: 'rate_limited' });
});
