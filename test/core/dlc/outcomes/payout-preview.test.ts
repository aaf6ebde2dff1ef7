import { describe, expect, it } from 'vitest';
import type { ContractCase } from '../../../../src/core/dlc/contract-info.ts';
import { payoutPreview } from '../../../../src/core/dlc/outcomes/payout-preview.ts';
import { enumeratedCase, lines, numeric, numericCase, point } from './contract-cases.ts';

const infoOf = (totalCollateralSats: bigint, ...cases: ContractCase[]) => ({
  totalCollateralSats,
  disjoint: cases.length > 1,
  cases,
});

describe('a preview of payouts', () => {
  it('says what each outcome pays to whom, and what is too small to be paid', () => {
    const outcomes = [
      ['a', 100_000n],
      ['b', 99_001n],
      ['c', 999n],
      ['d', 0n],
    ] as const;
    const [preview] = payoutPreview(infoOf(100_000n, enumeratedCase(outcomes)), 'tagged');
    expect(preview!.rows.map(({ outcome, acceptPayoutSats, dropped }) => [outcome, acceptPayoutSats, dropped])).toEqual(
      [
        ['a', 0n, []],
        ['b', 999n, ['accept']],
        ['c', 99_001n, ['offer']],
        ['d', 100_000n, []],
      ],
    );
    expect(preview).toMatchObject({ kind: 'enumerated', rowsLeftOut: 0, adaptorSignatures: 4 });
  });

  it('of numbers is a range a row, so many evenly out of all', () => {
    const line = numericCase(numeric(10, lines(point(0n, 0n), point(1023n, 1023n)), 100n));
    const [all, enumeration] = payoutPreview(infoOf(1023n, line, enumeratedCase([['a', 1n]])), 'tagged');
    expect(all!.rows).toHaveLength(11);
    expect(all!.rows[1]).toMatchObject({
      outcome: { from: 50n, to: 149n },
      offerPayoutSats: 100n,
      acceptPayoutSats: 923n,
    });
    expect(all).toMatchObject({ rowsLeftOut: 0, lowestOfferPayoutSats: 0n, highestOfferPayoutSats: 1000n });
    expect(all!.adaptorSignatures).toBeGreaterThan(11);
    expect(enumeration!.rows).toHaveLength(1);
    const [some] = payoutPreview(infoOf(1023n, line), 'tagged', { maxRows: 3 });
    expect(some!.rows.map(({ offerPayoutSats }) => offerPayoutSats)).toEqual([0n, 500n, 1000n]);
    expect(some!.rowsLeftOut).toBe(8);
    expect(payoutPreview(infoOf(1023n, line), 'tagged', { maxRows: 1 })[0]!.rows).toHaveLength(1);
  });
});
