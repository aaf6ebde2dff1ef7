import { describe, expect, it } from 'vitest';
import { roundingFromZero, roundingStretches } from '../../../../src/core/dlc/outcomes/rounding.ts';

const from = (beginInterval: bigint, roundingMod: bigint) => ({ beginInterval, roundingMod });

describe('rounding that is offered', () => {
  it.each([
    ['none', [], [from(0n, 1n)]],
    ['later', [from(5n, 100n)], [from(0n, 1n), from(5n, 100n)]],
    ['from 0', [from(0n, 10n), from(5n, 100n)], [from(0n, 10n), from(5n, 100n)]],
  ])('%s: begins at 0, and rounds as before', (_name, given, offered) => {
    expect(roundingFromZero(given)).toEqual(offered);
    expect(roundingStretches(roundingFromZero(given))).toEqual(roundingStretches(given));
  });
});
