import { describe, expect, it } from 'vitest';
import { verifyCets } from '../../../../src/core/dlc/contract/sign-cets.ts';
import { signedFunding } from '../../../../src/core/dlc/contract/sign-funding.ts';
import { verifyRefund } from '../../../../src/core/dlc/contract/sign-refund.ts';
import { DIALECTS } from '../../../../src/core/dlc/dialect.ts';
import { serializeOracleEvent } from '../../../../src/core/dlc/messages/announcement.ts';
import { verifyAnnouncement } from '../../../../src/core/dlc/oracle/announcements.ts';
import { verifyAttestation } from '../../../../src/core/dlc/oracle/attestations.ts';
import { coinTossInfo, fundingWitnesses, priceInfo, testContract } from '../../../builders/dlc-messages.ts';
import { digitsEvent, digitsOf, enumEvent, testOracle } from '../../../builders/dlc-oracle.ts';

describe.each(DIALECTS)('contracts for tests, %s', (dialect) => {
  it.each([
    ['enumerated', coinTossInfo(200_000n, dialect)],
    ['numeric', priceInfo(200_000n, 4, 10_000n, dialect)],
  ])('%s: every signature is good', (_kind, info) => {
    const { contract, offer, accept, sign, accepter } = testContract({ info, dialect });
    const all = { from: 0, to: contract.caseCount };
    const offerKey = offer.party.fundingPublicKey;
    const acceptKey = accept.party.fundingPublicKey;
    expect(contract.caseCount).toBeGreaterThan(2);
    expect(verifyCets(contract, acceptKey, accept.cetAdaptorSignatures, all)).toBeNull();
    expect(verifyCets(contract, offerKey, sign.cetAdaptorSignatures, all)).toBeNull();
    expect(verifyRefund(contract, acceptKey, accept.refundSignature)).toBe(true);
    expect(verifyRefund(contract, offerKey, sign.refundSignature)).toBe(true);
    const witnesses = { offer: sign.fundingSignatures, accept: fundingWitnesses(contract, 'accept', accepter) };
    expect(signedFunding(contract, witnesses).txid).toBe(contract.fundingTxid);
  });

  it('oracles for tests sign what they announce and attest', () => {
    const oracle = testOracle('any', dialect);
    const announced = oracle.announce(enumEvent('a', 'b'));
    const numeric = oracle.announce(digitsEvent(5, true), 'other');
    for (const { signature, publicKey, event } of [announced, numeric])
      expect(verifyAnnouncement(signature, publicKey, serializeOracleEvent(event), dialect)).toBe(true);
    expect(verifyAttestation(oracle.attest(announced, ['b']), announced, dialect)).toBe(true);
    const digits = digitsOf(-11n, 5, true);
    expect(digits).toEqual(['-', '0', '1', '0', '1', '1']);
    expect(verifyAttestation(oracle.attest(numeric, digits), numeric, dialect)).toBe(true);
  });
});
