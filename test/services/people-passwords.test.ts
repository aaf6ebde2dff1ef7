import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { describe, expect, it } from 'vitest';
import { createPasswords } from '../../src/services/people/passwords.ts';

const cost = { memoryKib: 7_168, passes: 1, parallelism: 1 };

describe('passwords', () => {
  it('are what the reference implementation makes of them', async () => {
    // argon2 "somesalt" -id -t 2 -k 65536 -p 1, password "password" (phc-winner-argon2, test.c).
    const known = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';
    const passwords = createPasswords({ cost, randomBytes });
    expect(await passwords.verify('password', known)).toEqual({ right: true, stale: true });
    expect(await passwords.verify('Password', known)).toMatchObject({ right: false });
  });

  it('are salted, and stale at another cost', async () => {
    const passwords = createPasswords({ cost, randomBytes });
    const [one, two] = [await passwords.hash('a good password'), await passwords.hash('a good password')];
    expect(one).not.toBe(two);
    expect(await passwords.verify('a good password', one)).toEqual({ right: true, stale: false });
    const dearer = createPasswords({ cost: { ...cost, passes: 2 }, randomBytes });
    expect(await dearer.verify('a good password', one)).toEqual({ right: true, stale: true });
  });

  it('of nobody are never right', async () => {
    expect(await createPasswords({ cost, randomBytes }).verify('', null)).toEqual({ right: false, stale: false });
  });

  it('wait in a queue that has an end, and every one that was taken is checked', async () => {
    const passwords = createPasswords({ cost, randomBytes });
    const taken = Math.max(1, Math.min(3, availableParallelism() - 1)) + 32;
    const outcomes = await Promise.allSettled(Array.from({ length: taken + 5 }, () => passwords.hash('x')));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(taken);
    for (const outcome of outcomes.slice(taken)) {
      expect(outcome).toMatchObject({ reason: { code: 'unavailable', details: { retryAfterSeconds: 2 } } });
    }
    await passwords.hash('there is room again');
  });
});
