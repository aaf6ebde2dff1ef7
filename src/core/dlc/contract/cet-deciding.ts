/** The CET by which attestations will settle a contract, before all of them are there: nothing is signed or decrypted. */
import { sameBytes } from '../../bytes.ts';
import { verifyAdaptorSignature } from '../adaptor-signatures/verify-adaptor-signature.ts';
import type { OracleAttestation } from '../oracle-event.ts';
import { caseFor } from '../outcomes/case-for.ts';
import type { ContractTransaction } from '../transactions/contract-transaction.ts';
import { otherSide } from '../transactions/funding-coins.ts';
import type { DlcContract } from './dlc-contract.ts';
import { announcementsOf } from './encryption-points.ts';
import type { SettlementKeys } from './settle.ts';
import { signatureAt } from './sign-cets.ts';
import { fundingKeyOf } from './spend-funding.ts';

/** What an oracle attests of an event: one outcome, or digits. */
export type Said = Pick<OracleAttestation, 'eventId' | 'publicKey' | 'outcomes'>;

/** Unsigned; the one that `settle` chooses: with the payout that the other side signed. null where nothing is decided, or no signature is valid. */
export function cetDeciding(
  contract: DlcContract,
  said: readonly Said[],
  { side, counterpartySignatures }: Omit<SettlementKeys, 'privateKey'>,
): ContractTransaction | null {
  const index = caseSaid(contract, said);
  if (index === null) return null;
  const signature = signatureAt(counterpartySignatures, index);
  const publicKey = fundingKeyOf(contract, otherSide(side));
  const point = contract.encryptionPointOf(index);
  const payouts = [contract.caseAt(index).offerPayoutSats, ...contract.neighbourPayoutsOf(index)];
  const signed = payouts.find((sats) =>
    verifyAdaptorSignature(signature, contract.cetHashPaying(sats), publicKey, point),
  );
  return signed === undefined ? null : contract.cetPaying(signed);
}

function caseSaid({ parts }: DlcContract, said: readonly Said[]): number | null {
  for (const { contractCase, cases, firstCase } of parts) {
    const attested = new Map(
      announcementsOf(contractCase.oracleInfo).flatMap(({ publicKey, event }, position) => {
        const one = said.find((each) => each.eventId === event.eventId && sameBytes(each.publicKey, publicKey));
        return one === undefined ? [] : [[position, one.outcomes] as const];
      }),
    );
    const within = attested.size === 0 ? null : caseFor(cases, attested);
    if (within !== null) return firstCase + within;
  }
  return null;
}
