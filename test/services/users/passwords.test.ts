import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { AccountId } from '../../../src/core/ids.ts';
import { DERIVED_AT_ONCE } from '../../../src/services/secrets/derivations.ts';
import { createPasswords } from '../../../src/services/users/passwords.ts';

const whose = { accountId: 'acc_a' };
const cost = { memoryKib: 7_168, passes: 1, parallelism: 1 };

describe('passwords', () => {
  it('are what the reference implementation makes of them', async () => {
    // argon2 "somesalt" -id -t 2 -k 65536 -p 1, password "password" (phc-winner-argon2, test.c).
    const known = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';
    const passwords = createPasswords({ cost, randomBytes });
    expect(await passwords.verify('password', known, whose)).toEqual({ right: true, stale: true });
    expect(await passwords.verify('Password', known, whose)).toMatchObject({ right: false });
  });

  it('are salted, and stale at another cost', async () => {
    const passwords = createPasswords({ cost, randomBytes });
    const [one, two] = [await passwords.hash('a good password', whose), await passwords.hash('a good password', whose)];
    expect(one).not.toBe(two);
    expect(await passwords.verify('a good password', one, whose)).toEqual({ right: true, stale: false });
    const dearer = createPasswords({ cost: { ...cost, passes: 2 }, randomBytes });
    expect(await dearer.verify('a good password', one, whose)).toEqual({ right: true, stale: true });
  });

  it('of nobody are never right', async () => {
    expect(await createPasswords({ cost, randomBytes }).verify('', null, whose)).toEqual({
      right: false,
      stale: false,
    });
  });

  it('wait in a queue of their account that has an end, beside which others have their turn', async () => {
    const passwords = createPasswords({ cost, randomBytes });
    const taken = DERIVED_AT_ONCE + 32;
    const ended: string[] = [];
    const hash = (accountId: AccountId) => passwords.hash('x', { accountId }).finally(() => ended.push(accountId));
    const asked = Array.from({ length: taken + 5 }, () => hash('acc_a'));
    const other = hash('acc_b');
    const outcomes = await Promise.allSettled(asked);
    await other;
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(taken);
    for (const outcome of outcomes.slice(taken)) {
      expect(outcome).toMatchObject({ reason: { code: 'unavailable', details: { retryAfterSeconds: 2 } } });
    }
    // Beside the five that were refused at once: those under way, and one that may have been as quick.
    expect(ended.indexOf('acc_b') - 5).toBeLessThanOrEqual(2 * DERIVED_AT_ONCE);
    await passwords.hash('there is room again', whose);
  });

  it('that nobody waits for are not derived', async () => {
    const passwords = createPasswords({ cost, randomBytes });
    const given = new AbortController();
    const asked = Array.from({ length: 20 }, () => passwords.hash('x', { ...whose, signal: given.signal }));
    given.abort(new Error('gone'));
    for (const outcome of await Promise.allSettled(asked))
      expect(outcome).toMatchObject({ reason: { message: 'gone' } });
  });
});
