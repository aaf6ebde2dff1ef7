import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseTransaction } from '../../../../src/core/blocks/transaction.ts';
import { decryptSignature } from '../../../../src/core/dlc/adaptor-signatures/decrypt-signature.ts';
import { verifyAdaptorSignature } from '../../../../src/core/dlc/adaptor-signatures/verify-adaptor-signature.ts';
import { extractAttestation } from '../../../../src/core/dlc/contract/extract-attestation.ts';
import { settle } from '../../../../src/core/dlc/contract/settle.ts';
import { signatureAt, verifyCets } from '../../../../src/core/dlc/contract/sign-cets.ts';
import { signedFunding } from '../../../../src/core/dlc/contract/sign-funding.ts';
import { settleRefund } from '../../../../src/core/dlc/contract/sign-refund.ts';
import { attestationScalar, sumScalars } from '../../../../src/core/dlc/oracle/attestations.ts';
import { sumOf } from '../../../../src/core/dlc/transactions/contract-transaction.ts';
import { ecc } from '../../../../src/core/keys/ecc.ts';
import { STANDARD_FLAGS } from '../../../../src/core/scripts/interpreter/script-flags.ts';
import { verifySpend } from '../../../../src/core/scripts/interpreter/verify-spend.ts';
import { fundingWitnesses } from '../../../builders/dlc-messages.ts';
import { type DrawnContract, drawnContracts } from './drawn-contracts.ts';

const fundingOutput = ({ contract }: DrawnContract) => {
  const { outputs, vout } = contract.fundingTransaction;
  return outputs[vout]!;
};

/** The attestations of the first oracles that suffice, of what the case names; digits that do not matter are 1. */
const attestationsOf = ({ contract, oracles, announcements, attestable }: DrawnContract, caseIndex: number) =>
  contract.caseAt(caseIndex).attested.map(({ oracle, outcomes }) => {
    const announcement = announcements[oracle]!;
    const padded = [...outcomes, ...Array(attestable[0]!.length).fill('1')].slice(0, attestable[0]!.length);
    return oracles[oracle]!.attest(announcement, padded);
  });

const keyOf = (drawn: DrawnContract, caseIndex: number): Uint8Array => {
  const attestations = attestationsOf(drawn, caseIndex);
  return sumScalars(
    drawn.contract
      .caseAt(caseIndex)
      .attested.flatMap(({ outcomes: { length } }, at) =>
        attestations[at]!.signatures.slice(0, length).map(attestationScalar),
      ),
  );
};

describe('contracts at random', () => {
  it('in every transaction the outputs and the fee are the inputs, the fee is what was agreed, and no output is dust', () => {
    fc.assert(
      fc.property(drawnContracts, (drawn) => {
        const { contract, offer, accept } = drawn;
        const funding = contract.fundingTransaction;
        expect(sumOf(funding.outputs) + funding.feeSats).toBe(sumOf(funding.inputs));
        expect(fundingOutput(drawn).amountSats).toBe(contract.fundingAmountSats);
        const { offer: offered, accept: accepted } = funding.fees;
        const change = [funding.changeSats.offer, funding.changeSats.accept].filter((sats) => sats < 1_000n);
        expect(funding.feeSats).toBe(
          change.reduce((sum, sats) => sum + sats, offered.fundingFeeSats + accepted.fundingFeeSats),
        );
        const closingSats = offered.closingFeeSats + accepted.closingFeeSats;
        const closing = [
          contract.refundTransaction,
          ...Array.from({ length: contract.caseCount }, (_, index) => contract.cetOf(index)),
        ];
        for (const { outputs, feeSats, inputs } of closing) {
          expect(inputs).toMatchObject([{ txid: funding.txid, vout: funding.vout }]);
          expect(sumOf(outputs) + feeSats).toBe(contract.fundingAmountSats);
          expect(outputs.length).toBeGreaterThan(0);
          expect(outputs.every(({ amountSats }) => amountSats >= 1_000n)).toBe(true);
          // What is below the dust limit of one side is the miner's.
          expect(feeSats).toBeGreaterThanOrEqual(closingSats);
          expect(feeSats).toBeLessThan(closingSats + 1_000n);
        }
        expect(offer.party.collateralSats + accept.party.collateralSats).toBe(contract.totalCollateralSats);
      }),
      { numRuns: 25 },
    );
  });

  it('every adaptor signature verifies for its case, and for no other point or CET', () => {
    fc.assert(
      fc.property(drawnContracts, fc.nat(), fc.nat(), (drawn, one, other) => {
        const { contract, accept, sign, offer } = drawn;
        const all = { from: 0, to: contract.caseCount };
        expect(verifyCets(contract, accept.party.fundingPublicKey, accept.cetAdaptorSignatures, all)).toBeNull();
        expect(verifyCets(contract, offer.party.fundingPublicKey, sign.cetAdaptorSignatures, all)).toBeNull();
        expect(verifyCets(contract, offer.party.fundingPublicKey, accept.cetAdaptorSignatures, all)).toBe(0);
        const [mine, theirs] = [one % contract.caseCount, other % contract.caseCount];
        const verifies = (hashOf: number, pointOf: number) =>
          verifyAdaptorSignature(
            signatureAt(accept.cetAdaptorSignatures, mine),
            contract.cetHashOf(hashOf),
            accept.party.fundingPublicKey,
            contract.encryptionPointOf(pointOf),
          );
        const sameCet = contract.caseAt(mine).offerPayoutSats === contract.caseAt(theirs).offerPayoutSats;
        expect(verifies(mine, theirs)).toBe(mine === theirs);
        expect(verifies(theirs, mine)).toBe(sameCet || sameOutputs(drawn, mine, theirs));
      }),
      { numRuns: 20 },
    );
  });

  it('a signature opens with exactly the attestation of its case', () => {
    fc.assert(
      fc.property(drawnContracts, fc.nat(), fc.nat(), (drawn, one, other) => {
        const { contract, accept } = drawn;
        const [mine, theirs] = [one % contract.caseCount, other % contract.caseCount];
        const opened = (key: Uint8Array) =>
          ecc.verifyEcdsa(
            contract.cetHashOf(mine),
            accept.party.fundingPublicKey,
            decryptSignature(signatureAt(accept.cetAdaptorSignatures, mine), key),
          );
        expect(opened(keyOf(drawn, mine))).toBe(true);
        expect(opened(keyOf(drawn, theirs))).toBe(mine === theirs);
      }),
      { numRuns: 25 },
    );
  });

  it('settles by whatever is attested, either side, what the interpreter runs; and the CET shows the attestation', () => {
    fc.assert(
      fc.property(drawnContracts, fc.nat(), fc.constantFrom('offer', 'accept'), (drawn, said, side) => {
        const { contract, offerer, accepter, accept, sign, oracles, announcements, threshold, attestable } = drawn;
        const outcomes = attestable[said % attestable.length]!;
        // The last oracles, not the first: the order of preference does not decide where the first are silent.
        const attestations = oracles
          .slice(-threshold)
          .map((oracle, at) => oracle.attest(announcements.slice(-threshold)[at]!, outcomes));
        const [own, other] = side === 'offer' ? [offerer, accept] : [accepter, sign];
        const settlement = settle(contract, attestations, {
          side,
          privateKey: own.fundingPrivateKey,
          counterpartySignatures: other.cetAdaptorSignatures,
        });
        const expected = contract.caseAt(settlement.caseIndex);
        expect(expected.attested.every(({ outcomes: named }) => named.every((text, at) => text === outcomes[at]))).toBe(
          true,
        );
        expect(settlement.offerPayoutSats).toBe(expected.offerPayoutSats);
        const cet = parseTransaction(settlement.transaction.raw);
        expect(cet.txid).toBe(contract.cetOf(settlement.caseIndex).txid);
        expect(verifySpend(cet, [fundingOutput(drawn)], 0, STANDARD_FLAGS)).toEqual({ valid: true });
        expect(cet.weight).toBe(settlement.transaction.weight);

        // The other side sees it on the chain.
        const seer = side === 'offer' ? accept : sign;
        const extracted = extractAttestation(contract, cet, {
          side: side === 'offer' ? 'accept' : 'offer',
          adaptorSignatures: seer.cetAdaptorSignatures,
        });
        expect(extracted?.caseIndex).toBe(settlement.caseIndex);
        expect(extracted?.scalar).toEqual(keyOf(drawn, settlement.caseIndex));
        const single = expected.attested.length === 1 && expected.attested[0]!.outcomes.length === 1;
        expect(extracted?.signature?.bytes ?? null).toEqual(
          single ? Buffer.from(attestations[0]!.signatures[0]!) : null,
        );
      }),
      { numRuns: 25 },
    );
  });

  it('funding and refund are signed so that the interpreter runs them', () => {
    fc.assert(
      fc.property(drawnContracts, (drawn) => {
        const { contract, offerer, accepter, accept } = drawn;
        const funding = signedFunding(contract, {
          offer: fundingWitnesses(contract, 'offer', offerer),
          accept: fundingWitnesses(contract, 'accept', accepter),
        });
        expect(parseTransaction(funding.raw)).toMatchObject({ txid: contract.fundingTxid, weight: funding.weight });
        const refund = settleRefund(contract, {
          side: 'offer',
          privateKey: offerer.fundingPrivateKey,
          counterpartySignature: accept.refundSignature,
        });
        const parsed = parseTransaction(refund.raw);
        expect(verifySpend(parsed, [fundingOutput(drawn)], 0, STANDARD_FLAGS)).toEqual({ valid: true });
        expect(parsed.locktime).toBe(drawn.offer.refundLocktime);
        expect(parsed.inputs[0]?.sequence).toBe(0xfffffffe);
      }),
      { numRuns: 15 },
    );
  });
});

/** CETs of different payouts are one where both differ in dust only. */
const sameOutputs = ({ contract }: DrawnContract, one: number, other: number): boolean =>
  contract.cetOf(one).txid === contract.cetOf(other).txid;
