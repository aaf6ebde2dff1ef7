import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseTransaction } from '../../../../src/core/blocks/transaction.ts';
import { cooperativeClose, signClose, signedClose } from '../../../../src/core/dlc/contract/cooperative-close.ts';
import { stressFees } from '../../../../src/core/dlc/contract/fee-stress.ts';
import { settle } from '../../../../src/core/dlc/contract/settle.ts';
import { sumOf } from '../../../../src/core/dlc/transactions/contract-transaction.ts';
import { type FeeRate, feeFor, parseFeeRate } from '../../../../src/core/fee-rate.ts';
import { enumeratedInfo, oracleInfo, testContract, testParty } from '../../../builders/dlc-messages.ts';
import { enumEvent, testOracle } from '../../../builders/dlc-oracle.ts';

const TOTAL = 1_000_000n;
const oracle = testOracle('fees');
const announcement = oracle.announce(enumEvent('all', 'nothing', 'half', 'again', 'dust'), 'fees');
const payouts = { all: TOTAL, nothing: 0n, half: TOTAL / 2n, again: TOTAL / 2n, dust: 500n };
const made = testContract({ info: enumeratedInfo(TOTAL, payouts, oracleInfo([announcement])) });
const { contract, offerer, accepter, accept } = made;
const rate = (text: string): FeeRate => parseFeeRate(text);

describe('fee stress', () => {
  const options = { feeRates: [rate('1'), rate('2'), rate('10'), rate('100')], childVsize: 110, mostCets: 10 };
  const stressed = stressFees(contract, options);

  it('is of the funding, the refund and each distinct CET, in the order of the cases', () => {
    expect(stressed.map(({ kind, offerPayoutSats, caseCount }) => [kind, offerPayoutSats, caseCount])).toEqual([
      ['funding', null, null],
      ['refund', null, null],
      ['cet', TOTAL, 1],
      ['cet', 0n, 1],
      ['cet', TOTAL / 2n, 2],
      ['cet', 500n, 1],
    ]);
    expect(stressFees(contract, { ...options, mostCets: 2 })).toEqual(stressed.slice(0, 4));
  });

  it('says at most what is paid and how large it gets: dust of a side raises the feerate', () => {
    const [whole, , half, dust] = stressed.filter(({ kind }) => kind === 'cet') as [any, any, any, any];
    expect(half.feeSats).toBe(2n * 2n * 85n);
    expect(half.feeRate).toBeGreaterThanOrEqual(rate('2'));
    expect(whole.feeSats).toBe(half.feeSats);
    expect(whole.vsize).toBeLessThan(half.vsize);
    expect(dust.feeSats).toBe(half.feeSats + 500n);
    const { transaction } = settle(contract, [oracle.attest(announcement, ['half'])], {
      side: 'offer',
      privateKey: offerer.fundingPrivateKey,
      counterpartySignatures: accept.cetAdaptorSignatures,
    });
    expect(half.vsize - transaction.vsize).toBeGreaterThanOrEqual(0);
    expect(half.vsize - transaction.vsize).toBeLessThanOrEqual(1);
  });

  it('says what a child must pay for both to pay the rate, and that none is needed below', () => {
    for (const { feeSats, vsize, feeRate, children } of stressed) {
      for (const { feeRate: wanted, childFeeSats } of children) {
        const needed = feeFor(wanted, vsize) > feeSats;
        expect(childFeeSats !== null).toBe(needed);
        if (childFeeSats === null) expect(feeRate).toBeGreaterThanOrEqual(wanted);
        else expect(childFeeSats + feeSats).toBe(feeFor(wanted, vsize + options.childVsize));
      }
    }
    expect(stressed.flatMap(({ children }) => children).some(({ childFeeSats }) => childFeeSats === null)).toBe(true);
  });
});

describe('a cooperative close', () => {
  const signed = (terms: { offerPayoutSats: bigint; feeRate: FeeRate }) => {
    const close = cooperativeClose(contract, terms);
    const transaction = signedClose(contract, close, {
      offer: signClose(close, offerer.fundingPrivateKey),
      accept: signClose(close, accepter.fundingPrivateKey),
    });
    return { close, transaction, parsed: parseTransaction(transaction.raw) };
  };
  const spareSats = contract.fundingAmountSats - TOTAL;

  it('pays both, out of the closing fees first, at the rate, and runs', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.bigInt({ min: 0n, max: TOTAL }), fc.constantFrom(0n, TOTAL, 1n, 999n, TOTAL - 1n)),
        fc.bigInt({ min: 100n, max: 50_000n }),
        (offerPayoutSats, satKvb) => {
          const { close, transaction, parsed } = signed({ offerPayoutSats, feeRate: satKvb as FeeRate });
          const { outputs, feeSats } = close.transaction;
          expect(sumOf(outputs) + feeSats).toBe(contract.fundingAmountSats);
          expect(parsed).toMatchObject({ locktime: 0, inputs: [{ sequence: 0xffffffff }] });
          expect(outputs.every(({ amountSats }) => amountSats >= 1_000n)).toBe(true);
          expect(feeSats).toBeGreaterThanOrEqual(feeFor(satKvb as FeeRate, transaction.vsize));
          expect(close.paidSats.offer + close.paidSats.accept).toBe(sumOf(outputs));
          // Nobody's gain or loss by the fee is more than the closing fees or the fee.
          const least = (share: bigint) => share - feeSats - 1n;
          if (close.paidSats.offer > 0n) {
            expect(close.paidSats.offer).toBeGreaterThanOrEqual(least(offerPayoutSats));
            expect(close.paidSats.offer).toBeLessThanOrEqual(offerPayoutSats + spareSats);
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it('shares what the fee leaves, or takes, in halves; a side that gets nothing takes no part', () => {
    const even = signed({ offerPayoutSats: TOTAL / 2n, feeRate: rate('1') });
    const leftSats = spareSats - even.close.transaction.feeSats;
    expect(leftSats).toBeGreaterThan(0n);
    expect(even.close.paidSats.offer).toBe(TOTAL / 2n + leftSats / 2n);
    const dear = signed({ offerPayoutSats: TOTAL / 2n, feeRate: rate('20') });
    expect(dear.close.paidSats.offer).toBeLessThan(TOTAL / 2n);
    expect(dear.close.paidSats.accept - dear.close.paidSats.offer).toBeLessThanOrEqual(1n);
    const none = signed({ offerPayoutSats: 0n, feeRate: rate('1') });
    expect(none.close.paidSats).toEqual({
      offer: 0n,
      accept: contract.fundingAmountSats - none.close.transaction.feeSats,
    });
  });

  it('refuses what is beyond the collateral, fees that leave nothing, and a signature of one side for both', () => {
    for (const offerPayoutSats of [-1n, TOTAL + 1n])
      expect(() => cooperativeClose(contract, { offerPayoutSats, feeRate: rate('1') })).toThrow(
        expect.objectContaining({ code: 'invalid_value', details: { field: 'offer_payout' } }),
      );
    const poor = testContract({
      info: enumeratedInfo(
        2_000n,
        { all: 2_000n, nothing: 0n, half: 1_000n, again: 1_000n, dust: 500n },
        oracleInfo([announcement]),
      ),
      offerer: testParty('poor', 2_000n, [10_000n]),
      accepter: testParty('idle', 0n, []),
    });
    expect(() => cooperativeClose(poor.contract, { offerPayoutSats: 1_000n, feeRate: rate('5000') })).toThrow(
      expect.objectContaining({ code: 'fee_too_high' }),
    );
    const close = cooperativeClose(contract, { offerPayoutSats: 0n, feeRate: rate('1') });
    const one = signClose(close, offerer.fundingPrivateKey);
    expect(() => signedClose(contract, close, { offer: one, accept: one })).toThrow(
      expect.objectContaining({ code: 'contract_refused' }),
    );
  });
});
