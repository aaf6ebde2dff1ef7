import { expect, it } from 'vitest';
import { isFinal } from '../../../src/services/contracts/terms/locktimes.ts';

/** As consensus has it for the next block: nLockTime below its height, or below the tip's median time (BIP113). */
it('a locktime is over at its height, and a second after its time', () => {
  const tip = { height: 800_000, medianTime: 1_750_000_000 };
  for (const [locktime, final] of [
    [0, true],
    [800_000, true],
    [800_001, false],
    [1_749_999_999, true],
    [1_750_000_000, false],
  ] as const)
    expect(isFinal(locktime, tip), `${locktime}`).toBe(final);
});
