/** Two CETs that pay differently must never be opened by one attestation. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decryptSignature } from '../../../../src/core/dlc/adaptor-signatures/decrypt-signature.ts';
import { type CheckContext, checkOffer } from '../../../../src/core/dlc/contract/contract-checks.ts';
import { sharedPoint } from '../../../../src/core/dlc/contract/shared-point.ts';
import { signatureAt } from '../../../../src/core/dlc/contract/sign-cets.ts';
import type { ContractInfo } from '../../../../src/core/dlc/contract-info.ts';
import { attestationScalar, sumScalars } from '../../../../src/core/dlc/oracle/attestations.ts';
import { ecc } from '../../../../src/core/keys/ecc.ts';
import { enumeratedInfo, numericInfo, oracleInfo, testContract } from '../../../builders/dlc-messages.ts';
import { digitsEvent, enumEvent, testOracle } from '../../../builders/dlc-oracle.ts';
import { drawnContracts } from './drawn-contracts.ts';

const TOTAL = 2_000_000n;
const context: CheckContext = {
  network: 'regtest',
  dialect: 'tagged',
  feeRateLimits: { leastSatVb: 1n, mostSatVb: 100n },
  tip: null,
};
const failed = (info: ContractInfo) =>
  checkOffer(testContract({ info }).offer, context)
    .filter(({ verdict }) => verdict === 'failed')
    .map(({ check, index }) => `${check} ${index}`);

/** Two parts of one contract. */
const either = (one: ContractInfo, other: ContractInfo): ContractInfo => ({
  ...one,
  disjoint: true,
  cases: [...one.cases, ...other.cases],
});

const toss = testOracle('toss');
const outcomes = ['heads', 'tails'];
const tossed = toss.announce(enumEvent(...outcomes), 'toss');
const paying = (heads: bigint, tails: bigint, announcement = tossed): ContractInfo =>
  enumeratedInfo(TOTAL, { heads, tails }, oracleInfo([announcement]));

describe('one announcement twice in a contract', () => {
  const shares = fc.bigInt({ min: 0n, max: TOTAL });

  it('opens two CETs with one attestation, whatever they pay; it is seen in the points and refused by the checks', () => {
    fc.assert(
      fc.property(shares, shares, shares, shares, fc.constantFrom(0, 1), (a, b, c, d, at) => {
        fc.pre(a !== c || b !== d);
        const { contract, accept, accepter } = testContract({ info: either(paying(a, b), paying(c, d)) });
        const attestation = toss.attest(tossed, [outcomes[at]!]);
        const scalar = sumScalars(attestation.signatures.map(attestationScalar));
        for (const caseIndex of [at, at + 2]) {
          const opened = decryptSignature(signatureAt(accept.cetAdaptorSignatures, caseIndex), scalar);
          expect(ecc.verifyEcdsa(contract.cetHashOf(caseIndex), accepter.party.fundingPublicKey, opened)).toBe(true);
        }
        expect(sharedPoint(contract.parts)).toEqual(a === c ? [1, 3] : [0, 2]);
        expect(failed(contract.offer.contractInfo)).toEqual(['announcement_repeated 1', 'nonce_repeated 1']);
      }),
      { numRuns: 20 },
    );
  });

  it('is no harm to the points where the same is paid, and refused all the same', () => {
    const info = either(paying(TOTAL, 0n), paying(TOTAL, 0n));
    expect(sharedPoint(testContract({ info }).contract.parts)).toBeNull();
    expect(failed(info)).toContain('announcement_repeated 1');
  });
});

describe('a nonce', () => {
  it('that stands twice in an announcement makes one point of two outcomes', () => {
    const price = testOracle('price').announce(digitsEvent(2), 'price');
    const [nonce] = price.event.nonces;
    const twice = { ...price, event: { ...price.event, nonces: [nonce!, nonce!] } };
    const line = [
      [0n, 0n],
      [3n, TOTAL],
    ] as const;
    const info = numericInfo(TOTAL, line, oracleInfo([twice]));
    // 01 and 10.
    expect(sharedPoint(testContract({ info }).contract.parts)).toEqual([1, 2]);
    expect(failed(info)).toContain('nonce_repeated 0');
  });

  it('of another event, or of another oracle, is refused', () => {
    const again = toss.announce(enumEvent(...outcomes), 'again');
    const other = testOracle('other').announce(enumEvent(...outcomes), 'other');
    for (const { event, ...announcement } of [again, other]) {
      const copied = { ...announcement, event: { ...event, nonces: tossed.event.nonces } };
      expect(failed(either(paying(TOTAL, 0n), paying(0n, TOTAL, copied)))).toContain('nonce_repeated 1');
    }
  });
});

it('points are told apart by x alone: the negative of one is opened by the same attestation', () => {
  const [part] = testContract({ info: paying(TOTAL, 0n) }).contract.parts;
  const point = part!.encryptionPoint(part!.cases[0]!.attested);
  const negative = ecc.pointMultiply(point, ecc.privateNegate(Uint8Array.from([...new Uint8Array(31), 1])), false)!;
  expect(negative).not.toEqual(point);
  const answers = [point, negative];
  expect(sharedPoint([{ ...part!, encryptionPoint: () => answers.shift()! }])).toEqual([0, 1]);
});

it('contracts at random have no two such CETs', () => {
  fc.assert(
    fc.property(drawnContracts, ({ contract }) => {
      expect(sharedPoint(contract.parts)).toBeNull();
    }),
    { numRuns: 40 },
  );
});
