import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type FeeParty, feeShare, partyFees } from '../../../../src/core/dlc/transactions/contract-fees.ts';
import { vectorsAreHere } from '../messages/contract-vectors.ts';

interface FeeVector {
  readonly inputs: {
    readonly offerInputs: readonly VectorInput[];
    readonly offerPayoutSPKLen: number;
    readonly offerChangeSPKLen: number;
    readonly acceptInputs: readonly VectorInput[];
    readonly acceptPayoutSPKLen: number;
    readonly acceptChangeSPKLen: number;
    readonly feeRate: number;
  };
  readonly offerFundingFee: number;
  readonly offerClosingFee: number;
  readonly acceptFundingFee: number;
  readonly acceptClosingFee: number;
}
interface VectorInput {
  readonly redeemScriptLen: number;
  readonly maxWitnessLen: number;
}

const vectors = (): FeeVector[] =>
  JSON.parse(
    readFileSync(new URL('../../../../../shared/vectors/dlc/dlc_fee_test.json', import.meta.url), 'utf8'),
  ) as FeeVector[];

const inputsOf = (inputs: readonly VectorInput[]): FeeParty['inputs'] =>
  inputs.map(({ redeemScriptLen, maxWitnessLen }) => ({
    redeemScriptLength: redeemScriptLen,
    maxWitnessLength: maxWitnessLen,
  }));

describe.skipIf(!vectorsAreHere)('dlc_fee_test.json (absent: no shared vectors here)', () => {
  it('all 472', () => {
    const rows = vectors();
    expect(rows).toHaveLength(472);
    for (const { inputs, ...expected } of rows) {
      const rate = BigInt(inputs.feeRate);
      const offer = {
        inputs: inputsOf(inputs.offerInputs),
        payoutScriptLength: inputs.offerPayoutSPKLen,
        changeScriptLength: inputs.offerChangeSPKLen,
      };
      const accept = {
        inputs: inputsOf(inputs.acceptInputs),
        payoutScriptLength: inputs.acceptPayoutSPKLen,
        changeScriptLength: inputs.acceptChangeSPKLen,
      };
      const [offered, accepted] = [partyFees(offer, rate, 'half'), partyFees(accept, rate, 'half')];
      expect({
        offerFundingFee: Number(offered.fundingFeeSats),
        offerClosingFee: Number(offered.closingFeeSats),
        acceptFundingFee: Number(accepted.fundingFeeSats),
        acceptClosingFee: Number(accepted.closingFeeSats),
      }).toEqual(expected);
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
