/** Adaptor signatures made by either verify with the other and open alike: ddk-ts is rust-dlc's cryptography over secp256k1-zkp. */
import { script } from 'bitcoinjs-lib';
import { describe, expect, it } from 'vitest';
import { decryptSignature } from '../../../src/core/dlc/adaptor-signatures/decrypt-signature.ts';
import { settle } from '../../../src/core/dlc/contract/settle.ts';
import { signatureAt, verifyCets } from '../../../src/core/dlc/contract/sign-cets.ts';
import { attestationScalar, sumScalars } from '../../../src/core/dlc/oracle/attestations.ts';
import type { OracleAnnouncement, OracleAttestation } from '../../../src/core/dlc/oracle-event.ts';
import { compressed } from '../../../src/core/keys/compressed.ts';
import { ecc } from '../../../src/core/keys/ecc.ts';
import {
  coinTossInfo,
  enumeratedInfo,
  numericInfo,
  oracleInfo,
  priceInfo,
  type TestContract,
  testContract,
} from '../../builders/dlc-messages.ts';
import { digitsEvent, digitsOf, enumEvent, type TestOracle, testOracle } from '../../builders/dlc-oracle.ts';
import { ddk } from './ddk.ts';
import { ddkCet, ddkOracles } from './ddk-cets.ts';
import { hex } from './hex.ts';

const TOTAL = 1_000_000n;
const oracles = ['one', 'two', 'three'].map((name) => testOracle(name));
const weather = oracles.map((oracle) => oracle.announce(enumEvent('sun', 'rain', 'snow'), 'weather'));
const prices = oracles.map((oracle) => oracle.announce(digitsEvent(4), 'price'));

interface Case {
  readonly made: TestContract;
  readonly by: readonly TestOracle[];
  readonly announcements: readonly OracleAnnouncement[];
  readonly outcomes: readonly string[];
}
const line = [
  [0n, 0n],
  [15n, TOTAL],
] as const;
const single = (info: ReturnType<typeof coinTossInfo>) => {
  const [{ oracleInfo: by }] = info.cases as [(typeof info.cases)[number]];
  return by.kind === 'single' ? [by.announcement] : by.announcements;
};
const toss = coinTossInfo(TOTAL);
const price = priceInfo(TOTAL, 4);

const cases: Readonly<Record<string, Case>> = {
  'an enumerated outcome': {
    made: testContract({ info: toss }),
    by: [testOracle('toss')],
    announcements: single(toss),
    outcomes: ['edge'],
  },
  'the digits of a price': {
    made: testContract({ info: price }),
    by: [testOracle('price')],
    announcements: single(price),
    outcomes: digitsOf(11n, 4),
  },
  'the digits of a price, with a locktime and other sides': {
    made: testContract({ info: price, changed: { cetLocktime: 1_700_000_000 }, offerCollateralSats: 250_000n }),
    by: [testOracle('price')],
    announcements: single(price),
    outcomes: digitsOf(0n, 4),
  },
  'an enumerated outcome by two of three oracles': {
    made: testContract({
      info: enumeratedInfo(TOTAL, { sun: TOTAL, rain: 0n, snow: 333_333n }, oracleInfo(weather, 2)),
    }),
    by: oracles,
    announcements: weather,
    outcomes: ['snow'],
  },
  'the digits of a price by three of three oracles': {
    made: testContract({ info: numericInfo(TOTAL, line, oracleInfo(prices, 3)) }),
    by: oracles,
    announcements: prices,
    outcomes: digitsOf(6n, 4),
  },
};

if (ddk === null) it.skip('ddk-ts does not load here: signatures are not compared', () => {});

describe.runIf(ddk !== null).each(Object.entries(cases))('%s', (_, { made, by, announcements, outcomes }) => {
  const native = ddk as NonNullable<typeof ddk>;
  const { contract, offerer, accepter, accept } = made;
  const indexes = Array.from({ length: contract.caseCount }, (_, at) => at);
  const witnessScript = Buffer.from(contract.fundingScript);
  const amount = contract.fundingAmountSats;
  const attestations: OracleAttestation[] = announcements.map((announcement, at) =>
    (by[at] as TestOracle).attest(announcement, outcomes),
  );
  const verifiesThere = (signature: Uint8Array, publicKey: Uint8Array, caseIndex: number): boolean => {
    const { oracles: infos, messages } = ddkOracles(contract, caseIndex);
    return native.verifyCetAdaptorSigFromOracleInfo(
      { signature: Buffer.from(signature), proof: Buffer.alloc(0) },
      ddkCet(contract, caseIndex),
      infos,
      Buffer.from(publicKey),
      witnessScript,
      amount,
      messages,
    );
  };
  /** By ddk-ts, all cases, one after the other. */
  const signedThere = (privateKey: Uint8Array): Uint8Array =>
    Uint8Array.from(
      Buffer.concat(
        indexes.flatMap((at) => {
          const { oracles: infos, messages } = ddkOracles(contract, at);
          const points = native.createCetAdaptorPointsFromOracleInfo(infos, [messages]);
          const key = Buffer.from(privateKey);
          return native
            .createCetAdaptorSigsFromPoints([ddkCet(contract, at)], points, key, witnessScript, amount)
            .map(({ signature }) => signature);
        }),
      ),
    );

  it('has the same hashes and points of every CET', () => {
    for (const at of indexes) {
      const { oracles: infos, messages } = ddkOracles(contract, at);
      expect(hex(native.getCetSighash(ddkCet(contract, at), witnessScript, amount))).toBe(hex(contract.cetHashOf(at)));
      const [point] = native.createCetAdaptorPointsFromOracleInfo(infos, [messages]);
      expect(hex(point as Buffer)).toBe(hex(compressed(contract.encryptionPointOf(at))));
    }
  });

  it('verifies there when signed here, with its own case and key alone', () => {
    const { fundingPublicKey } = accepter.party;
    for (const at of indexes) {
      const signature = signatureAt(accept.cetAdaptorSignatures, at);
      expect(verifiesThere(signature, fundingPublicKey, at), `case ${at}`).toBe(true);
      expect(verifiesThere(signature, offerer.party.fundingPublicKey, at)).toBe(false);
      expect(verifiesThere(signature, fundingPublicKey, (at + 1) % indexes.length)).toBe(false);
    }
  });

  it('verifies here when signed there', () => {
    const signatures = signedThere(offerer.fundingPrivateKey);
    const all = { from: 0, to: indexes.length };
    expect(verifyCets(contract, offerer.party.fundingPublicKey, signatures, all)).toBeNull();
    for (const at of indexes) {
      const wrong = Uint8Array.from(signatures);
      wrong[at * 162 + 161]! ^= 1;
      expect(verifyCets(contract, offerer.party.fundingPublicKey, wrong, all)).toBe(at);
    }
  });

  it('opens here and there to one signature, and settles with what was signed there', () => {
    const counterpartySignatures = signedThere(offerer.fundingPrivateKey);
    const { caseIndex, transaction } = settle(contract, attestations, {
      side: 'accept',
      privateKey: accepter.fundingPrivateKey,
      counterpartySignatures,
    });
    const { attested } = contract.caseAt(caseIndex);
    const used = attested.flatMap(({ oracle, outcomes: some }) =>
      (attestations[oracle] as OracleAttestation).signatures.slice(0, some.length),
    );
    const adaptor = signatureAt(counterpartySignatures, caseIndex);
    const opened = decryptSignature(adaptor, sumScalars(used.map(attestationScalar)));
    const there = native.extractEcdsaSignatureFromOracleSignatures(
      used.map((signature) => Buffer.from(signature)),
      Buffer.from(adaptor),
    );
    // There it is DER, without the hash type.
    expect(hex(there)).toBe(hex(script.signature.encode(opened, 1).subarray(0, -1)));
    expect(ecc.verifyEcdsa(contract.cetHashOf(caseIndex), offerer.party.fundingPublicKey, opened)).toBe(true);
    expect(transaction.raw.length).toBeGreaterThan(0);
  });
});
