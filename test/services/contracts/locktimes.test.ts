import { describe, expect, it } from 'vitest';
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
