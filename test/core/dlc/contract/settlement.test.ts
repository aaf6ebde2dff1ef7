import { describe, expect, it } from 'vitest';
import { parseTransaction } from '../../../../src/core/blocks/transaction.ts';
import { cetDeciding } from '../../../../src/core/dlc/contract/cet-deciding.ts';
import { extractAttestation } from '../../../../src/core/dlc/contract/extract-attestation.ts';
import { decidedCase, settle } from '../../../../src/core/dlc/contract/settle.ts';
import { signCets, verifyCets } from '../../../../src/core/dlc/contract/sign-cets.ts';
import { settleRefund } from '../../../../src/core/dlc/contract/sign-refund.ts';
import type { ContractInfo } from '../../../../src/core/dlc/contract-info.ts';
import { verifyAttestationSignature } from '../../../../src/core/dlc/oracle/attestations.ts';
import { isTolerated } from '../../../../src/core/dlc/outcomes/rounding-tolerance.ts';
import {
  coinTossInfo,
  enumeratedInfo,
  oracleInfo,
  priceInfo,
  type TestContract,
  testContract,
} from '../../../builders/dlc-messages.ts';
import { digitsOf, enumEvent, fixedBytes, testOracle } from '../../../builders/dlc-oracle.ts';

const TOTAL = 1_000_000n;
const toss = testOracle('toss');
const tossed = toss.announce(enumEvent('heads', 'tails', 'edge'), 'toss');
const contract = testContract({ info: coinTossInfo(TOTAL) });
const offererKeys = ({ offerer, accept }: TestContract) => ({
  side: 'offer' as const,
  privateKey: offerer.fundingPrivateKey,
  counterpartySignatures: accept.cetAdaptorSignatures,
});

describe('settling', () => {
  it('passes attestations over that are of another event, another oracle or not what was signed', () => {
    const heads = toss.attest(tossed, ['heads']);
    const others = [
      { ...heads, outcomes: ['tails'] },
      toss.attest(toss.announce(enumEvent('heads', 'tails', 'edge'), 'another'), ['heads']),
      testOracle('another').attest(tossed, ['heads']),
      { ...heads, signatures: [] },
    ];
    expect(decidedCase(contract.contract, others)).toBeNull();
    expect(() => settle(contract.contract, others, offererKeys(contract))).toThrow(
      expect.objectContaining({ code: 'attestation_missing' }),
    );
    expect(decidedCase(contract.contract, [...others, heads])).toBe(0);
    const { transaction, offerPayoutSats } = settle(contract.contract, [...others, heads], offererKeys(contract));
    expect(offerPayoutSats).toBe(TOTAL);
    expect(parseTransaction(transaction.raw).outputs).toMatchObject([{ amountSats: TOTAL }]);
  });

  it('refuses where the other side’s adaptor signature was never right', () => {
    const attestations = [toss.attest(tossed, ['tails'])];
    const keys = offererKeys(contract);
    const bad = keys.counterpartySignatures.slice();
    bad[162 + 66 + 31] = bad[162 + 66 + 31]! ^ 1;
    const refused = expect.objectContaining({
      code: 'contract_refused',
      message: expect.stringMatching(/signature 1 /),
    });
    expect(() => settle(contract.contract, attestations, { ...keys, counterpartySignatures: bad })).toThrow(refused);
    const few = { ...keys, counterpartySignatures: bad.subarray(162) };
    expect(() => settle(contract.contract, attestations, few)).toThrow(/adaptor_signature_count/);
    const wrongKey = { ...keys, privateKey: contract.accepter.fundingPrivateKey };
    expect(() => settle(contract.contract, attestations, wrongKey)).toThrow(/do not spend/);
    const wrongRefund = { ...keys, counterpartySignature: contract.sign.refundSignature };
    expect(() => settleRefund(contract.contract, wrongRefund)).toThrow(/^refund_signature: /);
  });

  it('takes the one side’s share of dust into the fee', () => {
    const oracle = testOracle('dust');
    const announcement = oracle.announce(enumEvent('a', 'b'), 'dust');
    const info = enumeratedInfo(TOTAL, { a: TOTAL - 999n, b: 999n }, oracleInfo([announcement]));
    const dusty = testContract({ info });
    const { transaction } = settle(dusty.contract, [oracle.attest(announcement, ['a'])], offererKeys(dusty));
    expect(parseTransaction(transaction.raw).outputs).toMatchObject([{ amountSats: TOTAL - 999n }]);
    expect(transaction.feeSats).toBe(dusty.contract.fundingAmountSats - TOTAL + 999n);
  });

  it('decides by either event of a disjoint contract', () => {
    const [rain, price] = [coinTossInfo(TOTAL), priceInfo(TOTAL, 3)];
    const info: ContractInfo = { ...rain, disjoint: true, cases: [...rain.cases, ...price.cases] };
    const both = testContract({ info });
    const { accept, accepter } = both;
    expect(both.contract.caseCount).toBe(3 + 8);
    const all = { from: 0, to: 11 };
    expect(verifyCets(both.contract, accepter.party.fundingPublicKey, accept.cetAdaptorSignatures, all)).toBeNull();
    const oracle = testOracle('price');
    const announcement = price.cases[0]!.oracleInfo.kind === 'single' ? price.cases[0]!.oracleInfo.announcement : null;
    const six = oracle.attest(announcement!, digitsOf(6n, 3));
    expect(settle(both.contract, [six], offererKeys(both)).caseIndex).toBe(3 + 6);
    expect(settle(both.contract, [toss.attest(tossed, ['edge'])], offererKeys(both)).caseIndex).toBe(2);
  });

  it('is foreseen from what will be attested, before any oracle signs it', () => {
    const [rain, price] = [coinTossInfo(TOTAL), priceInfo(TOTAL, 3)];
    const both = testContract({ info: { ...rain, disjoint: true, cases: [...rain.cases, ...price.cases] } });
    const priced = price.cases[0]!.oracleInfo.kind === 'single' ? price.cases[0]!.oracleInfo.announcement : null;
    const oracle = testOracle('price');
    const said = [toss.attest(tossed, ['edge']), oracle.attest(priced!, digitsOf(6n, 3))];
    for (const attestation of said) {
      const keys = offererKeys(both);
      const { transaction } = settle(both.contract, [attestation], keys);
      const foreseen = cetDeciding(both.contract, [{ ...attestation, signatures: [] } as typeof attestation], keys);
      expect(foreseen!.txid).toBe(transaction.txid);
    }
    const other = { ...said[0]!, publicKey: oracle.publicKey };
    expect(cetDeciding(both.contract, [other, { ...said[1]!, eventId: 'x' }], offererKeys(both))).toBeNull();
    const unsigned = { ...offererKeys(both), counterpartySignatures: new Uint8Array(11 * 162) };
    expect(cetDeciding(both.contract, said, unsigned)).toBeNull();
  });
});

describe('what a CET on the chain tells', () => {
  const edge = toss.attest(tossed, ['edge']);
  const cet = parseTransaction(settle(contract.contract, [edge], offererKeys(contract)).transaction.raw);
  const own = { side: 'accept' as const, adaptorSignatures: contract.accept.cetAdaptorSignatures };

  it('is the oracle’s signature, whole, where there is one', () => {
    const { signature } = extractAttestation(contract.contract, cet, own)!;
    expect(signature).toMatchObject({ oracle: 0, outcome: 'edge' });
    expect(signature?.bytes).toEqual(Buffer.from(edge.signatures[0]!));
    expect(verifyAttestationSignature(signature!.bytes, toss.publicKey, 'edge', 'tagged')).toBe(true);
  });

  it('is nothing to whoever asks with other signatures, or of a refund or another transaction', () => {
    const theirs = { side: 'accept' as const, adaptorSignatures: contract.sign.cetAdaptorSignatures };
    expect(extractAttestation(contract.contract, cet, theirs)).toBeNull();
    expect(extractAttestation(contract.contract, cet, { ...own, side: 'offer' })).toBeNull();
    expect(extractAttestation(contract.contract, cet, { ...own, adaptorSignatures: new Uint8Array(0) })).toBeNull();
    const { raw } = settleRefund(contract.contract, {
      ...{ side: 'offer', privateKey: contract.offerer.fundingPrivateKey },
      counterpartySignature: contract.accept.refundSignature,
    });
    expect(extractAttestation(contract.contract, parseTransaction(raw), own)).toBeNull();
    const funding = parseTransaction(contract.contract.fundingTransaction.raw);
    expect(extractAttestation(contract.contract, funding, own)).toBeNull();
    expect(extractAttestation(contract.contract, { inputs: [{ ...cet.inputs[0]!, witness: [] }] }, own)).toBeNull();
  });
});

describe('roundings of the other side', () => {
  // Of 16 outcomes, each 66,666.67 satoshis further; in steps of 8,658: 5 is 333,333.3, just above the middle, rounded up to 337,662.
  const info = priceInfo(TOTAL, 4, 8_658n);
  const rounded = testContract({ info });
  const five = Array.from({ length: rounded.contract.caseCount }, (_, index) => index).find(
    (index) => rounded.contract.caseAt(index).attested[0]?.outcomes.join('') === '0101',
  )!;
  const one = { from: five, to: five + 1 };

  /** The accepter's adaptor signature of the case, for a CET that pays so much. */
  const signedFor = (offerPayoutSats: bigint) => {
    const { contract: agreed, accepter } = rounded;
    const other = { ...agreed, cetHashOf: () => agreed.cetHashPaying(offerPayoutSats) };
    return signCets(other, accepter.fundingPrivateKey, one, { randomBytes: fixedBytes });
  };
  const verify = (signature: Uint8Array) =>
    verifyCets(rounded.contract, rounded.accepter.party.fundingPublicKey, signature, one);

  it('are refused where a step of the rounding is more than a satoshi, next to a tie as anywhere', () => {
    expect(rounded.contract.caseAt(five).offerPayoutSats).toBe(337_662n);
    expect(verify(signedFor(337_662n))).toBeNull();
    expect(verify(signedFor(329_004n))).toBe(five);
    expect(verify(signedFor(0n))).toBe(five);
    expect(verify(signedFor(346_320n))).toBe(five);
    expect(verify(signedFor(333_333n))).toBe(five);
  });

  it('settle by what was signed where it was believed once', () => {
    const counterpartySignatures = rounded.accept.cetAdaptorSignatures.slice();
    counterpartySignatures.set(signedFor(329_004n), five * 162);
    const oracle = testOracle('price');
    const { oracleInfo: oracles } = info.cases[0]!;
    const attestation = oracle.attest(oracles.kind === 'single' ? oracles.announcement : oracles.announcements[0]!, [
      ...'0101',
    ]);
    const settlement = settle(rounded.contract, [attestation], { ...offererKeys(rounded), counterpartySignatures });
    expect(settlement).toMatchObject({ caseIndex: five, offerPayoutSats: 329_004n });
    const foreseen = cetDeciding(rounded.contract, [attestation], { side: 'offer', counterpartySignatures });
    expect(foreseen!.txid).toBe(settlement.transaction.txid);
    expect(
      parseTransaction(settlement.transaction.raw)
        .outputs.map(({ amountSats }) => amountSats)
        .sort(),
    ).toEqual([329_004n, 670_996n]);
  });

  it('are taken a satoshi off, and never across what is paid out at all', () => {
    const fine = testContract({ info: priceInfo(100_001n, 2) });
    const { contract: agreed, accepter } = fine;
    const verdict = (caseIndex: number, offerPayoutSats: bigint): number | null => {
      const range = { from: caseIndex, to: caseIndex + 1 };
      const other = { ...agreed, cetHashOf: () => agreed.cetHashPaying(offerPayoutSats) };
      const signature = signCets(other, accepter.fundingPrivateKey, range, { randomBytes: fixedBytes });
      return verifyCets(agreed, accepter.party.fundingPublicKey, signature, range);
    };
    // 1: 33,333.67, rounded up; 2: 66,667.33, rounded down.
    expect([33_333n, 33_332n, 33_335n].map((sats) => verdict(1, sats))).toEqual([null, 1, 1]);
    expect([66_668n, 66_666n].map((sats) => verdict(2, sats))).toEqual([null, 2]);
    for (const [sats, instead] of [
      [1_000n, 999n],
      [999n, 1_000n],
      [99_001n, 99_002n],
    ] as const)
      expect(isTolerated(sats, instead, 100_001n)).toBe(false);
  });
});
