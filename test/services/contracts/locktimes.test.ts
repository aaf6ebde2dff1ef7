import { describe, expect, it } from 'vitest';
import type { DomainError } from '../../../src/core/errors.ts';
import { contractLocktimes } from '../../../src/services/contracts/terms/locktimes.ts';

const DAY = 86_400;
const now = { height: 1_000, medianTime: 1_800_000_000, unixSeconds: 1_800_003_600, maturityEpoch: 0 };
const refund = (maturityEpoch: number, unix: boolean, cetLocktime?: number) =>
  contractLocktimes({ cetLocktime }, { ...now, maturityEpoch }, unix).refundLocktime;

describe('the refund locktime, where none is asked for', () => {
  it('is 4,320 blocks away, counted from an event that is still to come', () => {
    expect(refund(0, false)).toBe(1_000 + 4_320);
    expect(refund(now.unixSeconds - DAY, false)).toBe(1_000 + 4_320);
    expect(refund(now.unixSeconds + 90 * DAY, false)).toBe(1_000 + 90 * 144 + 4_320);
  });

  it('is ten days after the event where somebody else is to accept it, as dlcdevkit demands seven to fourteen', () => {
    expect(refund(0, true)).toBe(now.unixSeconds + 10 * DAY);
    expect(refund(now.unixSeconds + 90 * DAY, true)).toBe(now.unixSeconds + 100 * DAY);
  });

  it('is of the kind that the CETs have, and later', () => {
    expect(refund(0, true, 2_000)).toBe(2_000 + 4_320);
    expect(refund(0, false, now.unixSeconds + DAY)).toBe(now.unixSeconds + 31 * DAY);
  });
});

describe('the refund locktime that is asked for', () => {
  const asking = (cetLocktime: number | undefined, refundLocktime?: number, maturityEpoch = 0) => {
    try {
      return contractLocktimes({ cetLocktime, refundLocktime }, { ...now, maturityEpoch }, true).refundLocktime;
    } catch (error) {
      const { code, details, message } = error as DomainError;
      return `${code} ${details.field}: ${message}`;
    }
  };
  const soon = now.unixSeconds + 3_600;

  it('leaves CETs a day, or 144 blocks, and the refusal says from when on it may be', () => {
    expect(asking(soon, soon + DAY)).toBe(soon + DAY);
    expect(asking(soon, soon + DAY - 1)).toMatch(
      new RegExp(`^invalid_value refund_locktime: refund_locktime must be at least ${soon + DAY}:`),
    );
    expect(asking(soon, soon)).toContain(`at least ${soon + DAY}:`);
    expect(asking(1_100, 1_244)).toBe(1_244);
    expect(asking(1_100, 1_243)).toMatch(/^invalid_value refund_locktime: .* at least 1244: .* 144 blocks after/);
  });

  it('need only be later where one holder has both sides', () => {
    const alone = (refundLocktime: number) =>
      contractLocktimes({ cetLocktime: 1_100, refundLocktime }, { ...now, maturityEpoch: 0 }, false).refundLocktime;
    expect(alone(1_101)).toBe(1_101);
    expect(() => alone(1_100)).toThrow('refund_locktime must be above cet_locktime (1100)');
  });

  it('may be near where CETs are open at once', () => {
    expect(asking(undefined, 1_001)).toBe(1_001);
    expect(asking(0, soon)).toBe(soon);
  });

  it('cannot be given for CETs at the end of the scale: they are named', () => {
    const [lastHeight, lastTime] = [499_999_999, 0xffff_ffff];
    expect(asking(lastHeight - 144)).toBe(lastHeight);
    for (const refund of [undefined, lastHeight]) {
      expect(asking(lastHeight - 143, refund)).toMatch(
        new RegExp(`^invalid_value cet_locktime: cet_locktime must be at most ${lastHeight - 144}:`),
      );
    }
    expect(asking(lastTime)).toMatch(new RegExp(`^invalid_value cet_locktime: .* at most ${lastTime - DAY}:`));
  });

  it('is after the event, and after the clock', () => {
    const event = soon + DAY;
    expect(asking(0, event + 1, event)).toBe(event + 1);
    expect(asking(0, event, event)).toMatch(new RegExp(`^invalid_value refund_locktime: .* must be after ${event},`));
    expect(asking(0, now.unixSeconds)).toMatch(/^invalid_value refund_locktime: .* must be after \d+,/);
    expect(asking(0, 2_000, event)).toBe(2_000);
  });
});
