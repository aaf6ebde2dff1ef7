/** With several oracles, whoever announces last can open a CET alone, unless each proves that it knows its nonces. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decryptSignature } from '../../../../src/core/dlc/adaptor-signatures/decrypt-signature.ts';
import { decidingTogether, judgeOracles, oracleProofsCheck } from '../../../../src/core/dlc/contract/oracle-proof.ts';
import { signatureAt } from '../../../../src/core/dlc/contract/sign-cets.ts';
import { signedClosing, signHash } from '../../../../src/core/dlc/contract/spend-funding.ts';
import { serializeOracleEvent } from '../../../../src/core/dlc/messages/announcement.ts';
import {
  nonceProofsIn,
  parseNonceProofs,
  serializeNonceProofs,
} from '../../../../src/core/dlc/messages/nonce-proofs.ts';
import { parseOffer, serializeOffer } from '../../../../src/core/dlc/messages/offer.ts';
import { proveNonce, provesNonces } from '../../../../src/core/dlc/oracle/nonce-proofs.ts';
import { verifySignature } from '../../../../src/core/dlc/oracle/schnorr.ts';
import { taggedHash } from '../../../../src/core/hashes.ts';
import { ecc } from '../../../../src/core/keys/ecc.ts';
import { enumeratedInfo, oracleInfo, testContract } from '../../../builders/dlc-messages.ts';
import { enumEvent, fixedBytes, secretOf, testOracle } from '../../../builders/dlc-oracle.ts';
import { rogueOracle } from '../../../builders/rogue-oracle.ts';

const TOTAL = 2_000_000n;
const outcomes = ['heads', 'tails'];
const honest = testOracle('honest').announce(enumEvent(...outcomes), 'toss');
const tools = { randomBytes: fixedBytes };
const provenBy = (announcement: typeof honest, nonces: readonly Uint8Array[]) =>
  nonces.map((nonce, at) => proveNonce(announcement, { nonce, fresh: secretOf(`fresh ${at}`) }, tools));

it('a rogue nonce opens the CET of two oracles with neither of their attestations', () => {
  const rogue = rogueOracle(honest, outcomes, 'tails');
  const info = enumeratedInfo(TOTAL, { heads: TOTAL, tails: 0n }, oracleInfo([honest, rogue.announcement], 2));
  const { contract, sign, accepter } = testContract({ info });
  const tails = 1;
  const opened = decryptSignature(signatureAt(sign.cetAdaptorSignatures, tails), rogue.scalar);
  const own = signHash(contract.cetHashOf(tails), accepter.fundingPrivateKey);
  // Run by the interpreter.
  expect(signedClosing(contract, contract.cetOf(tails), { offer: opened, accept: own }).raw.length).toBeGreaterThan(0);

  // What it knows proves nothing, nor does what the honest oracle shows.
  for (const nonce of [rogue.secret, rogue.scalar])
    expect(provesNonces(rogue.announcement, provenBy(rogue.announcement, [nonce]))).toBe(false);
  const shown = provenBy(honest, [secretOf('oracle honest, toss, nonce 0')]);
  expect(provesNonces(honest, shown)).toBe(true);
  expect(provesNonces(rogue.announcement, shown)).toBe(false);
  const known = new Set<number>();
  expect(judgeOracles(decidingTogether(info), { proven: new Set([0]), known })).toEqual({
    proof: 'unproven',
    index: 1,
  });
});

describe('proofs of nonces', () => {
  const events = fc.record({ key: fc.string(), nonces: fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 5 }) });
  const drawn = events.map(({ key, nonces }) => {
    const secrets = nonces.map((nonce) => secretOf(`proved ${nonce}`));
    const event = { ...honest.event, nonces: secrets.map((secret) => ecc.xOnlyPointFromScalar(secret)) };
    return { secrets, announcement: { ...honest, publicKey: ecc.xOnlyPointFromScalar(secretOf(key)), event } };
  });

  it('hold for their event and oracle alone, each for its nonce, and are BIP340 signatures', () => {
    fc.assert(
      fc.property(drawn, fc.nat(), fc.nat({ max: 63 }), ({ secrets, announcement }, at, byte) => {
        const proofs = provenBy(announcement, secrets);
        expect(provesNonces(announcement, proofs)).toBe(true);
        const hash = taggedHash('DLC/oracle/nonce-proof/v0')(
          announcement.publicKey,
          serializeOracleEvent(announcement.event),
        );
        const place = at % proofs.length;
        expect(verifySignature(hash, announcement.event.nonces[place]!, proofs[place]!)).toBe(true);
        const spoilt = proofs.map((proof) => Uint8Array.from(proof));
        spoilt[place]![byte]! ^= 1;
        expect(provesNonces(announcement, spoilt)).toBe(false);
        expect(provesNonces(announcement, proofs.slice(1))).toBe(false);
        expect(provesNonces({ ...announcement, publicKey: honest.publicKey }, proofs)).toBe(false);
        const renamed = { ...announcement, event: { ...announcement.event, eventId: 'another' } };
        expect(provesNonces(renamed, proofs)).toBe(false);
        expect(
          parseNonceProofs(serializeNonceProofs(new Map([[7, proofs]])))
            .get(7)
            ?.map(asBuffer),
        ).toEqual(proofs.map(asBuffer));
      }),
      { numRuns: 30 },
    );
  });

  it('travel in an offer as a record that others pass over', () => {
    const { offer } = testContract({ info: enumeratedInfo(TOTAL, { heads: TOTAL, tails: 0n }, oracleInfo([honest])) });
    const proofs = new Map([[0, provenBy(honest, [secretOf('oracle honest, toss, nonce 0')])]]);
    const before = Uint8Array.from([0x01, 0x01, 0xff]);
    const tlvs = Uint8Array.from([...before, ...serializeNonceProofs(proofs)]);
    const read = parseOffer(serializeOffer({ ...offer, tlvs }, 'tagged'), 'tagged');
    expect(provesNonces(honest, nonceProofsIn(read.tlvs).get(0)!)).toBe(true);
    expect(nonceProofsIn(before).size).toBe(0);
  });
});

it('several oracles are proven, known or neither; one that decides alone is not asked', () => {
  const other = testOracle('other').announce(enumEvent(...outcomes), 'other');
  const of = (threshold: number) =>
    decidingTogether(enumeratedInfo(TOTAL, { heads: TOTAL, tails: 0n }, oracleInfo([honest, other], threshold)));
  const judged = (proven: number[], known: number[]) =>
    judgeOracles(of(2), { proven: new Set(proven), known: new Set(known) });
  expect(judged([0, 1], [])).toEqual({ proof: 'proven', index: null });
  expect(judged([1], [0])).toEqual({ proof: 'known', index: null });
  expect(judged([0], [])).toEqual({ proof: 'unproven', index: 1 });
  expect(oracleProofsCheck(judged([], []), false)).toMatchObject({ verdict: 'failed', index: 0 });
  expect(oracleProofsCheck(judged([], []), true)).toMatchObject({ verdict: 'skipped', index: 0 });
  expect(judgeOracles(of(1), { proven: new Set(), known: new Set() })).toEqual({ proof: null, index: null });
});

const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes);
