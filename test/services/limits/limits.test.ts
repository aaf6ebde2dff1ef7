import { describe, expect, it } from 'vitest';
import { createLocalCounters } from '../../../src/counters/local.ts';
import { createAttempts } from '../../../src/services/limits/create-attempts.ts';
import { requestsPerDay } from '../../../src/services/limits/limit-table.ts';
import { createRequestLimits, type LimitedOperation } from '../../../src/services/limits/request-limits.ts';
import type { Credential } from '../../../src/services/requests/request-context.ts';

const START = Date.UTC(2026, 0, 1, 12, 30, 20);

function setup() {
  const time = { now: START };
  const clock = () => time.now;
  const counters = createLocalCounters({ clock });
  return { time, limits: createRequestLimits({ counters, clock }), attempts: createAttempts({ counters, clock }) };
}

const credential = (more: Partial<Credential> = {}): Credential => ({
  kind: 'api_key',
  id: 'key_1',
  role: 'admin',
  scopes: ['*'],
  tier: 'standard',
  limits: null,
  expiresAt: null,
  allowedIps: null,
  mayGrant: false,
  countsAs: null,
  requireSignature: true,
  signingKey: 'any',
  ...more,
});
const on = (
  family: LimitedOperation['family'],
  limitClass: LimitedOperation['limitClass'] = 'standard',
): LimitedOperation => ({ family, limitClass });

describe('the limits of a credential', () => {
  it.each([
    ['a', { free: 1000, standard: 1000, pro: 1000, enterprise: 1000, custom: 1000 }],
    ['b', { free: 1000, standard: 1000, pro: 1000, enterprise: 1000, custom: 1000 }],
    ['c', { free: 100, standard: 100, pro: 1000, enterprise: 1000, custom: 100 }],
    ['d', { free: 100, standard: 100, pro: 100, enterprise: 100, custom: 100 }],
    ['e', { free: 1000, standard: 1000, pro: 1000, enterprise: 1000, custom: 1000 }],
    ['f', { free: 100, standard: 100, pro: 1000, enterprise: 1000, custom: 100 }],
    ['g', { free: 100, standard: 100, pro: 100, enterprise: 100, custom: 100 }],
  ] as const)('of family %s go by its tier', async (family, byTier) => {
    for (const [tier, limit] of Object.entries(byTier)) {
      const { limits } = setup();
      const who = credential({ tier: tier as Credential['tier'] });
      for (let i = 1; i <= limit; i++) {
        expect(await limits.count(who, on(family))).toMatchObject({ limit, remaining: limit - i, allowed: true });
      }
      expect(await limits.count(who, on(family))).toMatchObject({
        limit,
        remaining: 0,
        allowed: false,
        resetAt: Date.UTC(2026, 0, 1, 12, 31) / 1000,
        what: 'requests of this credential',
      });
    }
  });

  it('end with the minute', async () => {
    const { limits, time } = setup();
    for (let i = 0; i < 101; i++) await limits.count(credential(), on('c'));
    expect(await limits.count(credential(), on('c'))).toMatchObject({ allowed: false });
    time.now = Date.UTC(2026, 0, 1, 12, 31);
    expect(await limits.count(credential(), on('c'))).toMatchObject({ allowed: true, remaining: 99 });
  });

  it('are one for A, B, E and the rest together, and one for each other family', async () => {
    const { limits } = setup();
    const who = credential();
    for (const family of ['a', 'b', 'e', 'service'] as const) await limits.count(who, on(family));
    expect(await limits.count(who, on('a'))).toMatchObject({ remaining: 995 });
    for (const family of ['c', 'd', 'f', 'g'] as const) {
      expect(await limits.count(who, on(family))).toMatchObject({ remaining: 99 });
    }
  });

  it('are its own, whoever else asks', async () => {
    const { limits } = setup();
    for (let i = 0; i < 101; i++) await limits.count(credential(), on('g'));
    expect(await limits.count(credential({ id: 'key_2' }), on('g'))).toMatchObject({ allowed: true, remaining: 99 });
  });

  it('stay the same bucket when its record is read anew', async () => {
    const { limits } = setup();
    await limits.count(credential(), on('a'));
    expect(await limits.count(credential({ role: 'viewer' }), on('a'))).toMatchObject({ remaining: 998 });
  });

  it('add a class to a family: a request counts against both, and the headers show the lower one', async () => {
    const { limits } = setup();
    const who = credential();
    for (let i = 1; i <= 10; i++) {
      expect(await limits.count(who, on('a', 'bulk'))).toMatchObject({ limit: 10, remaining: 10 - i, allowed: true });
    }
    expect(await limits.count(who, on('a', 'bulk'))).toMatchObject({
      allowed: false,
      what: 'bulk requests of this credential',
    });
    // The eleven counted in the family's bucket too; what is not bulk goes on.
    expect(await limits.count(who, on('a'))).toMatchObject({ limit: 1000, remaining: 988, allowed: true });
    for (let i = 0; i < 98; i++) await limits.count(who, on('g'));
    expect(await limits.count(who, on('g', 'voting'))).toMatchObject({ limit: 100, remaining: 1, allowed: true });
    await limits.count(who, on('g', 'voting'));
    expect(await limits.count(who, on('g', 'voting'))).toMatchObject({ limit: 100, allowed: false });
  });

  it('share the bulk allowance between families', async () => {
    const { limits } = setup();
    const who = credential();
    for (let i = 0; i < 10; i++) await limits.count(who, on('a', 'bulk'));
    expect(await limits.count(who, on('c', 'bulk'))).toMatchObject({ allowed: false });
  });

  it.each(['custom', 'enterprise'] as const)('of tier %s may be its own numbers', async (tier) => {
    const { limits } = setup();
    const own = { requests_per_minute: 5, bulk_per_minute: 2, voting_per_minute: 3 };
    const who = credential({ tier, limits: own });
    for (const family of ['a', 'c', 'f', 'g'] as const) {
      expect(await limits.count(who, on(family))).toMatchObject({ limit: 5, remaining: 4 });
    }
    expect(await limits.count(who, on('a', 'bulk'))).toMatchObject({ limit: 2, remaining: 1 });
    expect(await limits.count(who, on('g', 'voting'))).toMatchObject({ limit: 3, remaining: 2 });
  });

  it('hold for a day, too, of all families together, by tier or by its own number', async () => {
    const { limits, time } = setup();
    const who = credential({ tier: 'enterprise', limits: { requests_per_day: 3, requests_per_minute: 2 } });
    expect(await limits.count(who, on('a'))).toMatchObject({ limit: 2, remaining: 1, window: 'minute' });
    time.now += 60_000;
    await limits.count(who, on('c'));
    expect(await limits.count(who, on('g'))).toMatchObject({ limit: 3, remaining: 0, allowed: true, window: 'day' });
    const over = await limits.count(who, on('d'));
    expect(over).toMatchObject({ allowed: false, window: 'day', resetAt: Date.UTC(2026, 0, 2) / 1000 });
    time.now = Date.UTC(2026, 0, 2);
    expect(await limits.count(who, on('a'))).toMatchObject({ allowed: true, window: 'minute' });
    const tiers = ['free', 'standard', 'pro', 'enterprise', 'custom'] as const;
    expect(tiers.map((tier) => requestsPerDay({ tier, limits: null }))).toEqual([
      50_000,
      500_000,
      2_000_000,
      null,
      null,
    ]);
  });

  it('of other tiers are never their own', async () => {
    for (const tier of ['free', 'standard', 'pro'] as const) {
      const { limits } = setup();
      const who = credential({ tier, limits: { requests_per_minute: 1_000_000 } });
      expect(await limits.count(who, on('g'))).toMatchObject({ limit: 100 });
    }
  });
});

describe('attempts', () => {
  it('are allowed up to their limit, and looked at without being counted', async () => {
    const { attempts, time } = setup();
    const allowed = { limit: 3, windowSeconds: 900 };
    expect(await attempts.look('login alice', allowed)).toMatchObject({ limit: 3, remaining: 3, allowed: true });
    for (const remaining of [2, 1, 0]) {
      expect(await attempts.count('login alice', allowed)).toMatchObject({ remaining, allowed: true });
    }
    expect(await attempts.look('login alice', allowed)).toMatchObject({ remaining: 0, allowed: false });
    expect(await attempts.count('login alice', allowed)).toMatchObject({ remaining: 0, allowed: false });
    expect(await attempts.count('login bob', allowed)).toMatchObject({ allowed: true });
    expect((await attempts.look('login alice', allowed)).resetAt).toBe(Date.UTC(2026, 0, 1, 12, 45) / 1000);
    time.now = Date.UTC(2026, 0, 1, 12, 45);
    expect(await attempts.count('login alice', allowed)).toMatchObject({ remaining: 2, allowed: true });
  });

  it('tell long names apart', async () => {
    const { attempts } = setup();
    const allowed = { limit: 1, windowSeconds: 60 };
    const long = 'x'.repeat(10_000);
    await attempts.count(`${long}a`, allowed);
    expect(await attempts.count(`${long}b`, allowed)).toMatchObject({ allowed: true });
    expect(await attempts.count(`${long}a`, allowed)).toMatchObject({ allowed: false });
  });
});
