import { describe, expect, it } from 'vitest';
import type { AdaptorCase } from '../../../../src/core/dlc/adaptor-case.ts';
import { adaptorCases } from '../../../../src/core/dlc/outcomes/adaptor-cases.ts';
import { neighbourPayouts } from '../../../../src/core/dlc/outcomes/neighbour-payouts.ts';
import { enumeratedCase, lines, numeric, numericCase, point } from './contract-cases.ts';

describe('payouts rounded the other way', () => {
  const besideOf = (contractCase: ReturnType<typeof numericCase>, total: bigint) =>
    adaptorCases(contractCase, total, 'tagged').map((one: AdaptorCase) => [
      one.attested[0]!.outcomes.join(''),
      one.offerPayoutSats,
      neighbourPayouts(contractCase, total, one),
    ]);

  it('are one unit beside the case’s own where the value is next to the middle', () => {
    const curve = lines(point(0n, 49n), point(1n, 150n), point(2n, 251n), point(3n, 260n));
    expect(besideOf(numericCase(numeric(2, curve, 100n)), 260n)).toEqual([
      ['00', 0n, [100n]],
      ['01', 200n, [100n]],
      // 300 is above the collateral. Of 260, nobody would come to 200.
      ['1', 260n, [200n]],
    ]);
    const steep = lines(point(0n, 47n), point(1n, 100n), point(2n, 153n), point(3n, 340n));
    expect(besideOf(numericCase(numeric(2, steep, 100n)), 400n)).toEqual([
      ['00', 0n, []],
      ['01', 100n, []],
      ['10', 200n, []],
      ['11', 300n, []],
    ]);
  });

  it('are one satoshi beside it where nothing is rounded', () => {
    const line = lines(point(0n, 0n), point(3n, 10n));
    expect(besideOf(numericCase(numeric(2, line)), 10n)).toEqual([
      ['00', 0n, [1n]],
      ['01', 3n, [4n]],
      ['10', 7n, [6n]],
      ['11', 10n, []],
    ]);
  });

  it('are those of both ends of a prefix', () => {
    const curve = lines(point(0n, 151n), point(3n, 249n), point(4n, 900n), point(7n, 900n));
    const [first] = besideOf(numericCase(numeric(3, curve, 100n)), 1000n);
    expect(first).toEqual(['0', 200n, [100n, 300n]]);
  });

  it('are none where outcomes are named', () => {
    const contractCase = enumeratedCase([['a', 1n]]);
    expect(neighbourPayouts(contractCase, 2n, adaptorCases(contractCase, 2n, 'tagged')[0]!)).toEqual([]);
  });
});
