import { describe, expect, it } from 'vitest';
import { addressClass } from '../../src/core/users/address-class.ts';
import { failedAgain, lockedFor, NEAR_RULE } from '../../src/core/users/login-lock.ts';
import { foldLoginName, USERNAME_FORM } from '../../src/core/users/login-name.ts';

describe('the neighbourhood of an address', () => {
  it.each([
    ['203.0.113.7', '203.0.113.0/24'],
    ['::ffff:203.0.113.7', '203.0.113.0/24'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:0001:0002::6', '2001:db8:1:2::/64'],
    ['2001:db8::6', '2001:db8:0:0::/64'],
    ['2001:db8:0:0:1::', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ])('of %s is %s', (address, expected) => {
    expect(addressClass(address)).toBe(expected);
  });
});

describe('the wait after failures', () => {
  it('is none at first, then doubles up to a quarter of an hour, and is over an hour after the last', () => {
    const waits = Array.from(
      { length: 14 },
      (_, failures) => lockedFor({ failures, lastFailedAt: 0 }, 0, NEAR_RULE) / 1000,
    );
    expect(waits).toEqual([0, 0, 0, 0, 0, 15, 30, 60, 120, 240, 480, 900, 900, 900]);
    expect(lockedFor({ failures: 7, lastFailedAt: 0 }, 45_000, NEAR_RULE)).toBe(15_000);
    expect(lockedFor({ failures: 1_000_000, lastFailedAt: 0 }, 3_600_000, NEAR_RULE)).toBe(0);
    expect(failedAgain({ failures: 9, lastFailedAt: 0 }, 3_600_000, NEAR_RULE)).toEqual({
      failures: 1,
      lastFailedAt: 3_600_000,
    });
    expect(failedAgain({ failures: 9, lastFailedAt: 0 }, 5, NEAR_RULE)).toEqual({ failures: 10, lastFailedAt: 5 });
  });
});

describe('names', () => {
  it('fold however they were typed', () => {
    expect(foldLoginName(' Ａda.L ')).toBe('ada.l');
    expect(foldLoginName('ADA@Example.COM')).toBe('ada@example.com');
  });

  it('of people have no @, blank or invisible character', () => {
    for (const good of ['ada', 'Ada.L', 'a-b_c.9', 'x'.repeat(64)]) expect(USERNAME_FORM.test(good), good).toBe(true);
    for (const bad of ['ad', 'a@b.c', '.ada', 'ada-', 'a da', 'ada\n', 'аda', 'x'.repeat(65)]) {
      expect(USERNAME_FORM.test(bad), bad).toBe(false);
    }
  });
});
