import type { PartyParams } from '@bennyblader/ddk-ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contractOf } from '../../../../src/core/dlc/contract/contract-of.ts';
import type { ContractParty, FundingInput } from '../../../../src/core/dlc/dlc-messages.ts';
import { fundingCoins } from '../../../../src/core/dlc/transactions/funding-coins.ts';
import { DomainError } from '../../../../src/core/errors.ts';
import { enumeratedInfo, fundingInput, oracleInfo, testOffer, testParty } from '../../../builders/dlc-messages.ts';
import { enumEvent, testOracle } from '../../../builders/dlc-oracle.ts';
import { ddk } from '../ddk.ts';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const announcement = testOracle('ddk').announce(enumEvent('a', 'b', 'c'));

const scripts = [
  `0014${'11'.repeat(20)}`,
  `0020${'22'.repeat(32)}`,
  `5120${'33'.repeat(32)}`,
  `a914${'44'.repeat(20)}87`,
  `76a914${'55'.repeat(20)}88ac`,
].map((script) => Uint8Array.from(Buffer.from(script, 'hex')));

const u64 = fc.bigInt({ min: 0n, max: (1n << 64n) - 1n });
const anyScript = fc.constantFrom(...scripts);

interface Drawn {
  readonly collateralSats: bigint;
  /** Beyond collateral and fees, some of it; little, so that change is often dust, or missing. */
  readonly overSats: readonly bigint[];
  readonly maxWitnessLength: number;
  readonly payoutScript: Uint8Array;
  readonly changeScript: Uint8Array;
  readonly serialIds: readonly bigint[];
}

const drawnParty: fc.Arbitrary<Drawn> = fc.record({
  collateralSats: fc.bigInt({ min: 1_000n, max: 5_000_000n }),
  overSats: fc.array(fc.bigInt({ min: 0n, max: 3_000n }), { minLength: 1, maxLength: 4 }),
  maxWitnessLength: fc.integer({ min: 107, max: 108 }),
  payoutScript: anyScript,
  changeScript: anyScript,
  serialIds: fc.uniqueArray(u64, { minLength: 6, maxLength: 6 }),
});

function partyOf(name: string, drawn: Drawn, single: 'all' | 'none' | null): ContractParty {
  const { party } = testParty(name, 0n, []);
  const { collateralSats, overSats, maxWitnessLength, payoutScript, changeScript, serialIds } = drawn;
  const inputs: FundingInput[] = overSats.map((sats, at) => ({
    ...fundingInput(`${name} ${at}`, scripts[0] as Uint8Array, sats + (at === 0 ? collateralSats : 0n) + 500n),
    serialId: serialIds[at + 2] as bigint,
    maxWitnessLength,
  }));
  const [payoutSerialId, changeSerialId] = serialIds as [bigint, bigint];
  return {
    ...party,
    collateralSats: single === 'none' ? 0n : collateralSats,
    fundingInputs: single === 'none' ? [] : inputs,
    payoutScript,
    changeScript,
    payoutSerialId,
    changeSerialId,
  };
}

const ddkParty = (side: 'offer' | 'accept', party: ContractParty): PartyParams => {
  const coins = fundingCoins(side, party);
  return {
    fundPubkey: Buffer.from(party.fundingPublicKey),
    changeScriptPubkey: Buffer.from(party.changeScript),
    changeSerialId: party.changeSerialId,
    payoutScriptPubkey: Buffer.from(party.payoutScript),
    payoutSerialId: party.payoutSerialId,
    inputs: coins.map(({ txid, vout, serialId, maxWitnessLength }) => ({
      txid,
      vout,
      scriptSig: Buffer.alloc(0),
      maxWitnessLength,
      serialId,
    })),
    inputAmount: coins.reduce((sum, { amountSats }) => sum + amountSats, 0n),
    collateral: party.collateralSats,
    dlcInputs: [],
  };
};

describe.skipIf(ddk === null)(
  `transactions as ddk-ts builds them${ddk === null ? ' (ddk-ts does not load here)' : ''}`,
  () => {
    it('are the same bytes: funding, CETs, refund; two sides or one funding them; and the same inputs do not suffice', () => {
      let built = 0;
      let refused = 0;
      fc.assert(
        fc.property(
          drawnParty,
          drawnParty,
          fc.constantFrom('offer', 'accept', null),
          fc.record({
            feeRate: fc.bigInt({ min: 1n, max: 12n }),
            fundSerialId: u64,
            cetLocktime: fc.constantFrom(0, 100, 1_650_000_000),
            part: fc.bigInt({ min: 0n, max: 1_000n }),
          }),
          (offered, accepted, funder, { feeRate, fundSerialId, cetLocktime, part }) => {
            const single = (side: string) => (funder === null ? null : funder === side ? 'all' : 'none');
            const offerParty = partyOf('offerer', offered, single('offer'));
            const acceptParty = partyOf('accepter', accepted, single('accept'));
            const total = offerParty.collateralSats + acceptParty.collateralSats;
            // Nothing, all, a thousandth part or so, and what leaves the other side dust.
            const payouts = [0n, total, (total * part) / 1_000n, total - part];
            const info = enumeratedInfo(
              total,
              { a: payouts[0] as bigint, b: payouts[1] as bigint, c: payouts[2] as bigint, d: payouts[3] as bigint },
              oracleInfo([announcement]),
            );
            const offer = testOffer({
              info,
              changed: { party: offerParty, feeRateSatVb: feeRate, fundOutputSerialId: fundSerialId, cetLocktime },
            });
            const theirs = () =>
              ddk?.createDlcTransactions(
                payouts.map((sats) => ({ offer: sats, accept: total - sats })),
                ddkParty('offer', offerParty),
                ddkParty('accept', acceptParty),
                offer.refundLocktime,
                feeRate,
                0,
                cetLocktime,
                fundSerialId,
              );
            const ours = () => contractOf(offer, acceptParty, 'tagged');
            try {
              ours();
            } catch (error) {
              expect(error).toBeInstanceOf(DomainError);
              expect(theirs).toThrow();
              refused++;
              return;
            }
            const expected = theirs();
            const contract = ours();
            expect(hex(contract.fundingTransaction.raw)).toBe(expected?.fund.rawBytes.toString('hex'));
            expect(hex(contract.refundTransaction.raw)).toBe(expected?.refund.rawBytes.toString('hex'));
            expect(payouts.map((_, index) => hex(contract.cetOf(index).raw))).toEqual(
              expected?.cets.map(({ rawBytes }) => rawBytes.toString('hex')),
            );
            expect(hex(contract.cetHashOf(2))).toBe(
              ddk
                ?.getCetSighash(expected!.cets[2]!, Buffer.from(contract.fundingScript), contract.fundingAmountSats)
                .toString('hex'),
            );
            built++;
          },
        ),
        { numRuns: 250 },
      );
      // Of both kinds many were drawn.
      expect(built).toBeGreaterThan(80);
      expect(refused).toBeGreaterThan(20);
    });
  },
);
