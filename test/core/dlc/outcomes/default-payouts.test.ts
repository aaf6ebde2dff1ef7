import { describe, expect, it } from 'vitest';
import { defaultPayouts } from '../../../../src/core/dlc/outcomes/default-payouts.ts';

describe('payouts where nothing is said', () => {
  it('go from all to nothing, the remainder to the accepter', () => {
    expect(defaultPayouts(['yes', 'no'], 100n)).toEqual([
      { outcome: 'yes', offerPayoutSats: 100n },
      { outcome: 'no', offerPayoutSats: 0n },
    ]);
    expect(defaultPayouts(['a', 'b', 'c', 'd'], 100n).map(({ offerPayoutSats }) => offerPayoutSats)).toEqual([
      100n,
      66n,
      33n,
      0n,
    ]);
  });

  it('are of 2 to 1,000 outcomes that differ in NFC', () => {
    const field = (outcomes: string[]) => {
      try {
        defaultPayouts(outcomes, 100n);
        return null;
      } catch (error) {
        return (error as { details: { field: string } }).details.field;
      }
    };
    expect(field(['one'])).toBe('outcomes');
    expect(field(Array.from({ length: 1001 }, (_, i) => String(i)))).toBe('outcomes');
    expect(field(Array.from({ length: 1000 }, (_, i) => String(i)))).toBeNull();
    expect(field(['a', 'caf\u00e9', 'cafe\u0301'])).toBe('outcomes[2]');
    expect(field(['a', ''])).toBe('outcomes[1]');
    expect(defaultPayouts(['cafe\u0301', 'b'], 1n)[0]!.outcome).toBe('caf\u00e9');
  });
});
