import { describe, expect, it } from 'vitest';
import { ADAPTOR_SIGNATURE_BYTES } from '../../../src/core/dlc/adaptor-signatures/serialization.ts';
import { contractOf } from '../../../src/core/dlc/contract/contract-of.ts';
import { announcementsOf } from '../../../src/core/dlc/contract/encryption-points.ts';
import { verifyCets } from '../../../src/core/dlc/contract/sign-cets.ts';
import { fundingVerifier } from '../../../src/core/dlc/contract/sign-funding.ts';
import { verifyRefund } from '../../../src/core/dlc/contract/sign-refund.ts';
import { parseAccept } from '../../../src/core/dlc/messages/accept.ts';
import { serializeOracleEvent } from '../../../src/core/dlc/messages/announcement.ts';
import { parseOffer } from '../../../src/core/dlc/messages/offer.ts';
import { parseSign } from '../../../src/core/dlc/messages/sign.ts';
import { verifyAnnouncement } from '../../../src/core/dlc/oracle/announcements.ts';
import { type ContractVector, contractVectors } from './messages/contract-vectors.ts';

const DIALECT = 'dlcspecs-vectors';
const fromHex = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'hex'));
const flipped = (bytes: Uint8Array, at: number): Uint8Array => {
  const copy = bytes.slice();
  copy[at] = (copy[at] as number) ^ 1;
  return copy;
};

/** Out of the messages' bytes, as they come. */
function parsed(vector: ContractVector) {
  const offer = parseOffer(fromHex(vector.offer.serialized), DIALECT);
  const accept = parseAccept(fromHex(vector.accept.serialized), DIALECT);
  const sign = parseSign(fromHex(vector.sign.serialized), DIALECT);
  return { offer, accept, sign, contract: contractOf(offer, accept.party, DIALECT) };
}

const contracts = contractVectors();

describe('dlcspecs’ full contracts', () => {
  it.each(contracts)('$name: the contract id, of the funding transaction', (vector) => {
    const { contract, sign } = parsed(vector);
    expect(contract.contractId).toEqual(sign.contractId);
    expect(contract.fundingVout).toBe({ enum_3_of_3: 2, single_oracle_numerical: 2 }[vector.name] ?? 0);
  });

  it.each(contracts)('$name: every adaptor signature of both sides, and none with a byte changed', (vector) => {
    const { contract, offer, accept, sign } = parsed(vector);
    const all = { from: 0, to: contract.caseCount };
    for (const [{ cetAdaptorSignatures }, { fundingPublicKey }] of [
      [accept, accept.party],
      [sign, offer.party],
    ] as const) {
      expect(cetAdaptorSignatures).toHaveLength(contract.caseCount * ADAPTOR_SIGNATURE_BYTES);
      expect(verifyCets(contract, fundingPublicKey, cetAdaptorSignatures, all)).toBeNull();
      for (let index = 0; index < contract.caseCount; index++) {
        const changed = flipped(cetAdaptorSignatures, index * ADAPTOR_SIGNATURE_BYTES + 20 * (index % 8) + 3);
        expect(verifyCets(contract, fundingPublicKey, changed, all)).toBe(index);
      }
    }
  });

  it.each(contracts)('$name: both signatures of the refund', (vector) => {
    const { contract, offer, accept, sign } = parsed(vector);
    for (const [{ refundSignature }, { fundingPublicKey }] of [
      [accept, accept.party],
      [sign, offer.party],
    ] as const) {
      expect(verifyRefund(contract, fundingPublicKey, refundSignature)).toBe(true);
      for (const at of [0, 31, 32, 63])
        expect(verifyRefund(contract, fundingPublicKey, flipped(refundSignature, at))).toBe(false);
    }
  });

  it.each(contracts)('$name: the offerer’s signatures of its funding inputs', (vector) => {
    const { contract, sign } = parsed(vector);
    const offered = contract.fundingTransaction.inputs.filter(({ side }) => side === 'offer');
    expect(offered).toHaveLength(sign.fundingSignatures.length);
    const verdicts = (witnesses: typeof sign.fundingSignatures) => {
      const verify = fundingVerifier(contract, { offer: witnesses, accept: [] });
      return offered.map((input) => verify(input).valid);
    };
    expect(verdicts(sign.fundingSignatures)).not.toContain(false);
    const changed = sign.fundingSignatures.map(([signature, key]) => [flipped(signature!, 20), key!]);
    expect(verdicts(changed)).not.toContain(true);
  });

  it.each(contracts)('$name: the announcements', (vector) => {
    const { offer } = parsed(vector);
    const announcements = offer.contractInfo.cases.flatMap(({ oracleInfo }) => announcementsOf(oracleInfo));
    expect(announcements).toHaveLength(vector.name.includes('single') ? 1 : 3);
    for (const { signature, publicKey, event } of announcements) {
      const bytes = serializeOracleEvent(event);
      expect(verifyAnnouncement(signature, publicKey, bytes, DIALECT)).toBe(true);
      expect(verifyAnnouncement(signature, publicKey, flipped(bytes, bytes.length - 1), DIALECT)).toBe(false);
    }
  });

  it.each(contracts)('$name: in the other dialect the points, and so the signatures, are others', (vector) => {
    const { offer, accept } = parsed(vector);
    const contract = contractOf(offer, accept.party, 'tagged');
    const all = { from: 0, to: contract.caseCount };
    expect(verifyCets(contract, accept.party.fundingPublicKey, accept.cetAdaptorSignatures, all)).toBe(0);
  });
});
