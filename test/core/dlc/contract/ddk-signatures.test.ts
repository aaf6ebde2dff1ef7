import { randomBytes } from 'node:crypto';
import type { Transaction } from '@bennyblader/ddk-ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseTransaction } from '../../../../src/core/blocks/transaction.ts';
import type { DlcContract } from '../../../../src/core/dlc/contract/dlc-contract.ts';
import { settle } from '../../../../src/core/dlc/contract/settle.ts';
import { signatureAt, signCets, verifyCets } from '../../../../src/core/dlc/contract/sign-cets.ts';
import { attestationHash } from '../../../../src/core/dlc/oracle/message-hash.ts';
import type { OracleAnnouncement } from '../../../../src/core/dlc/oracle-event.ts';
import { compactFromDer } from '../../../../src/core/scripts/der-signature.ts';
import { ddk } from '../ddk.ts';
import { type DrawnContract, drawnContracts } from './drawn-contracts.ts';

/** Its form of a transaction. */
function ddkTransaction(raw: Uint8Array): Transaction {
  const { version, locktime, inputs, outputs } = parseTransaction(raw);
  return {
    version,
    lockTime: locktime,
    inputs: inputs.map(({ prev, sequence, scriptSig, witness }) => ({
      txid: prev.txid,
      vout: prev.vout,
      scriptSig: Buffer.from(scriptSig),
      sequence,
      witness: witness.map((item) => Buffer.from(item)),
    })),
    outputs: outputs.map(({ amountSats, scriptPubKey }) => ({
      value: amountSats,
      scriptPubkey: Buffer.from(scriptPubKey, 'hex'),
    })),
    rawBytes: Buffer.from(raw),
  };
}

/** Cases whose oracles are the first ones, as it takes them: the others' signatures would be of points that it cannot be told. */
const told = ({ contract }: DrawnContract): number[] =>
  Array.from({ length: contract.caseCount }, (_, index) => index).filter((index) =>
    contract.caseAt(index).attested.every(({ oracle }, at) => oracle === at),
  );

const oracleInfos = (announcements: readonly OracleAnnouncement[], threshold: number) =>
  announcements.slice(0, threshold).map(({ publicKey, event }) => ({
    publicKey: Buffer.from(publicKey),
    nonces: event.nonces.map((nonce) => Buffer.from(nonce)),
  }));

const messages = (contract: DlcContract, index: number): Buffer[][] =>
  contract
    .caseAt(index)
    .attested.map(({ outcomes }) => outcomes.map((outcome) => Buffer.from(attestationHash(outcome, 'tagged'))));

const inIts = (signature: Uint8Array) => ({
  // A point more in its form: the signature without the proof, and the proof.
  signature: Buffer.from(signature),
  proof: Buffer.alloc(0),
});

describe.skipIf(ddk === null)(
  `signatures of contracts and ddk-ts${ddk === null ? ' (ddk-ts does not load here)' : ''}`,
  () => {
    const library = ddk as NonNullable<typeof ddk>;

    it('its are good here and ours there, by one oracle or two, of outcomes and of digits; and it opens what we open', () => {
      fc.assert(
        fc.property(drawnContracts, fc.nat(), (drawn, chosen) => {
          const { contract, accept, accepter, offerer, announcements, threshold, oracles, attestable } = drawn;
          const cases = told(drawn);
          const cets = cases.map((index) => ddkTransaction(contract.cetOf(index).raw));
          const infos = oracleInfos(announcements, threshold);
          const asked = cases.map((index) => messages(contract, index));
          const script = Buffer.from(contract.fundingScript);
          const amount = contract.fundingAmountSats;
          const publicKey = Buffer.from(accepter.party.fundingPublicKey);

          const theirs = library.createCetAdaptorSigsFromOracleInfo(
            cets,
            infos,
            Buffer.from(accepter.fundingPrivateKey),
            script,
            amount,
            asked,
          );
          const together = theirs.map(({ signature, proof }) => Uint8Array.from(Buffer.concat([signature, proof])));
          for (const [at, index] of cases.entries())
            expect(verifyCets(contract, publicKey, together[at]!, { from: index, to: index + 1 })).toBeNull();

          const ours = cases.map((index) =>
            signCets(contract, accepter.fundingPrivateKey, { from: index, to: index + 1 }, { randomBytes }),
          );
          const verified = (signatures: readonly Uint8Array[]) =>
            library.verifyCetAdaptorSigsFromOracleInfo(
              signatures.map(inIts),
              cets,
              infos,
              publicKey,
              script,
              amount,
              asked,
            );
          expect(verified(ours)).toBe(true);
          if (cases.length > 1) expect(verified([ours[1]!, ours[0]!, ...ours.slice(2)])).toBe(false);

          const at = chosen % cases.length;
          const index = cases[at]!;
          const said = contract.caseAt(index).attested[0]!.outcomes;
          const outcomes = [...said, ...Array(attestable[0]!.length).fill('0')].slice(0, attestable[0]!.length);
          const attestations = oracles
            .slice(0, threshold)
            .map((oracle, place) => oracle.attest(announcements[place]!, outcomes));
          const opened = library.extractEcdsaSignatureFromOracleSignatures(
            attestations.flatMap(({ signatures }) => signatures.slice(0, said.length).map((one) => Buffer.from(one))),
            Buffer.from(signatureAt(accept.cetAdaptorSignatures, index)),
          );
          const settled = settle(contract, attestations, {
            side: 'offer',
            privateKey: offerer.fundingPrivateKey,
            counterpartySignatures: accept.cetAdaptorSignatures,
          });
          expect(settled.caseIndex).toBe(index);
          const { witness } = parseTransaction(settled.transaction.raw).inputs[0]!;
          const compact = witness.slice(1, 3).map((signature) => compactFromDer(signature.subarray(0, -1)));
          expect(compact).toContainEqual(compactFromDer(opened));
        }),
        { numRuns: 8 },
      );
    });
  },
);
