import { describe, expect, it } from 'vitest';
import { parseTransaction } from '../../../../src/core/blocks/transaction.ts';
import { checkAccept } from '../../../../src/core/dlc/contract/contract-checks.ts';
import { contractOf } from '../../../../src/core/dlc/contract/contract-of.ts';
import { createSignatureHasher, SIGHASH_ALL } from '../../../../src/core/scripts/signature-hash.ts';
import { coinTossInfo, priceInfo, testContract, testOffer, testParty } from '../../../builders/dlc-messages.ts';

const TOTAL = 1_000_000n;
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const made = testContract({ info: coinTossInfo(TOTAL), offerCollateralSats: 300_000n });
const { offer, accept } = made;

describe('what spends the funding output', () => {
  it('signs BIP143’s hash, as everything else here computes it', () => {
    for (const cetLocktime of [0, 1_700_000_000]) {
      const contract = contractOf({ ...offer, cetLocktime }, accept.party, 'tagged');
      const { outputs, vout } = contract.fundingTransaction;
      const spent = [outputs[vout]!];
      const hashOf = (raw: Uint8Array) =>
        hex(createSignatureHasher(parseTransaction(raw), spent).segwitV0(0, contract.fundingScript, SIGHASH_ALL));
      for (const index of [0, 1, 2]) expect(hex(contract.cetHashOf(index))).toBe(hashOf(contract.cetOf(index).raw));
      expect(hex(contract.refundHash())).toBe(hashOf(contract.refundTransaction.raw));
    }
  });

  it('has a sequence by which locktimes count; a CET without one is final where dlcdevkit’s are', () => {
    const sequences = (cetLocktime: number, dialect: 'tagged' | 'dlcspecs-vectors') => {
      const contract = contractOf({ ...offer, cetLocktime }, accept.party, dialect);
      return [contract.cetOf(0).inputs[0]?.sequence, contract.refundTransaction.inputs[0]?.sequence];
    };
    expect(sequences(0, 'tagged')).toEqual([0xffffffff, 0xfffffffe]);
    expect(sequences(0, 'dlcspecs-vectors')).toEqual([0xfffffffe, 0xfffffffe]);
    expect(sequences(800_000, 'tagged')).toEqual([0xfffffffe, 0xfffffffe]);
  });

  it('refunds the offerer first, whatever the serial ids; and all to the accepter where dlcdevkit’s flag says so', () => {
    const scripts = [hex(offer.party.payoutScript), hex(accept.party.payoutScript)];
    for (const payoutSerialId of [0n, (1n << 64n) - 1n]) {
      const party = { ...offer.party, payoutSerialId };
      for (const dialect of ['tagged', 'dlcspecs-vectors'] as const) {
        const contract = contractOf({ ...offer, party }, accept.party, dialect);
        expect(contract.refundTransaction.outputs).toEqual([
          { scriptPubKey: scripts[0], amountSats: 300_000n },
          { scriptPubKey: scripts[1], amountSats: 700_000n },
        ]);
        const cet = contract.cetOf(2).outputs.map(({ scriptPubKey }) => scriptPubKey);
        expect(cet).toEqual(payoutSerialId === 0n ? scripts : scripts.toReversed());
      }
    }
    const flagged = { ...offer, contractFlags: 1 };
    expect(contractOf(flagged, accept.party, 'tagged').refundTransaction.outputs).toEqual([
      { scriptPubKey: scripts[1], amountSats: TOTAL },
    ]);
    expect(contractOf(flagged, accept.party, 'dlcspecs-vectors').refundTransaction.outputs).toHaveLength(2);
  });

  it('is refused where the collaterals are not the total, and a side without collateral brings inputs', () => {
    const more = { ...accept.party, collateralSats: accept.party.collateralSats + 1n };
    expect(() => contractOf(offer, more, 'tagged')).toThrow(/^collateral: /);
    const alone = testParty('alone', TOTAL, [2n * TOTAL]);
    const single = testOffer({ info: coinTossInfo(TOTAL), offerer: alone });
    expect(() => contractOf(single, testParty('idle', 0n, [5_000n]).party, 'tagged')).toThrow(/^funding_inputs: /);
    expect(() => contractOf(single, testParty('idle', 0n, []).party, 'dlcspecs-vectors')).toThrow(/^funding_amount: /);
  });
});

describe('a contract of many cases', () => {
  it('has its adaptor signatures counted where they are verified', () => {
    const info = priceInfo(TOTAL, 11);
    const many = testOffer({ info });
    const party = testParty('accepter', TOTAL / 2n, [TOTAL]).party;
    const checks = checkAccept(
      many,
      { ...accept, party, temporaryContractId: many.temporaryContractId, cetAdaptorSignatures: new Uint8Array(162) },
      { network: 'regtest', dialect: 'tagged', feeRateLimits: { leastSatVb: 1n, mostSatVb: 10n }, tip: null },
    );
    expect(checks.find(({ check }) => check === 'adaptor_signature_count')?.verdict).toBe('skipped');
    expect(checks.filter(({ verdict }) => verdict === 'failed').map(({ check }) => check)).toEqual([
      'refund_signature',
    ]);
  });
});
