import { describe, expect, it } from 'vitest';
import { type FeeParty, feeShare, partyFees } from '../../../../src/core/dlc/transactions/contract-fees.ts';
import { vectorRows } from '../../../vectors/rows.ts';

const partyOf = (inputs: string, payout: string, change: string): FeeParty => ({
  inputs: inputs
    .split(',')
    .filter((input) => input !== '')
    .map((input) => {
      const [redeemScriptLength = 0, maxWitnessLength = 0] = input.split(':').map(Number);
      return { redeemScriptLength, maxWitnessLength };
    }),
  payoutScriptLength: Number(payout),
  changeScriptLength: Number(change),
});

describe('fees of both sides', () => {
  it('are those of dlcspecs, all 472', () => {
    const rows = vectorRows('dlc-fees');
    expect(rows).toHaveLength(472);
    for (const [rate = '', ...sides] of rows) {
      for (const side of [sides.slice(0, 5), sides.slice(5)]) {
        const [inputs = '', payout = '', change = '', funding = '', closing = ''] = side;
        expect(partyFees(partyOf(inputs, payout, change), BigInt(rate), 'half')).toEqual({
          fundingFeeSats: BigInt(funding),
          closingFeeSats: BigInt(closing),
        });
      }
    }
  });
});

describe('a single-funded contract', () => {
  const party: FeeParty = {
    inputs: [{ redeemScriptLength: 0, maxWitnessLength: 108 }],
    payoutScriptLength: 22,
    changeScriptLength: 22,
  };

  it('is paid for by the side that funds it: all that is shared, and its own', () => {
    // 214 + 36 + 88 + 164 + 108 = 610 weight; 498 + 88 = 586.
    expect(partyFees(party, 2n, 'all')).toEqual({ fundingFeeSats: 2n * 153n, closingFeeSats: 2n * 147n });
    expect(partyFees(party, 2n, 'none')).toEqual({ fundingFeeSats: 0n, closingFeeSats: 0n });
  });

  it('is one where all collateral is one side’s, and none in the vectors’ dialect', () => {
    expect(feeShare(5n, 5n, 'tagged')).toBe('all');
    expect(feeShare(0n, 5n, 'tagged')).toBe('none');
    expect(feeShare(1n, 5n, 'tagged')).toBe('half');
    expect(feeShare(5n, 5n, 'dlcspecs-vectors')).toBe('half');
    expect(feeShare(0n, 5n, 'dlcspecs-vectors')).toBe('half');
  });
});
