/** Cases that many numbers fall into name leading digits alone: what was attested of the others must not get into the key that opens them. */
import { describe, expect, it } from 'vitest';
import { parseTransaction } from '../../../../src/core/blocks/transaction.ts';
import { extractAttestation } from '../../../../src/core/dlc/contract/extract-attestation.ts';
import { settle } from '../../../../src/core/dlc/contract/settle.ts';
import { numericInfo, oracleInfo, testContract } from '../../../builders/dlc-messages.ts';
import { digitsEvent, digitsOf, testOracle } from '../../../builders/dlc-oracle.ts';

const TOTAL = 1_000_000n;
const DIGITS = 6;

describe('a number of digits that its case leaves open', () => {
  const oracles = ['first', 'second', 'third'].map((name) => testOracle(name));
  const announcements = oracles.map((oracle) => oracle.announce(digitsEvent(DIGITS), 'price'));
  // Nothing below 16, all from 48 on: 2 digits say either.
  const points = [
    [0n, 0n],
    [15n, 0n],
    [48n, TOTAL],
    [63n, TOTAL],
  ] as const;

  it.each([
    ['one oracle', 1, 1],
    ['two of three oracles', 3, 2],
  ])('settles by the leading ones of %s, and says them to the other side', (_, count, threshold) => {
    const info = numericInfo(TOTAL, points, oracleInfo(announcements.slice(0, count), threshold));
    const { contract, offerer, accept } = testContract({ info });
    for (const [number, offerPayoutSats] of [
      [5n, 0n],
      [10n, 0n],
      [53n, TOTAL],
      [58n, TOTAL],
    ] as const) {
      const attestations = oracles
        .slice(0, threshold)
        .map((oracle, at) => oracle.attest(announcements[at]!, digitsOf(number, DIGITS)));
      const settlement = settle(contract, attestations, {
        side: 'offer',
        privateKey: offerer.fundingPrivateKey,
        counterpartySignatures: accept.cetAdaptorSignatures,
      });
      const named = contract.caseAt(settlement.caseIndex).attested.map(({ outcomes }) => outcomes.join(''));
      expect(named).toEqual(Array(threshold).fill(digitsOf(number, DIGITS).join('').slice(0, 2)));
      expect(settlement.offerPayoutSats).toBe(offerPayoutSats);
      const seen = extractAttestation(contract, parseTransaction(settlement.transaction.raw), {
        side: 'accept',
        adaptorSignatures: accept.cetAdaptorSignatures,
      });
      // Leading digits' signatures come as a sum: none of them is known by itself.
      expect(seen).toMatchObject({ caseIndex: settlement.caseIndex, signature: null });
    }
  });
});
