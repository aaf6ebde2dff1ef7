import { DomainError } from '../../errors.ts';
import { ecc } from '../../keys/ecc.ts';
import { decryptSignature } from '../adaptor-signatures/decrypt-signature.ts';
import { ADAPTOR_SIGNATURE_BYTES } from '../adaptor-signatures/serialization.ts';
import { attestationScalar, sumScalars, verifyAttestation } from '../oracle/attestations.ts';
import type { OracleAttestation } from '../oracle-event.ts';
import { caseFor } from '../outcomes/case-for.ts';
import { otherSide, type Side } from '../transactions/funding-coins.ts';
import type { ContractPart } from './contract-parts.ts';
import type { DlcContract } from './dlc-contract.ts';
import { announcementsOf } from './encryption-points.ts';
import { signatureAt } from './sign-cets.ts';
import { fundingKeyOf, signedClosing, signHash } from './spend-funding.ts';

export interface SettlementKeys {
  /** Whose private key it is; the key is the caller's to zero. */
  readonly side: Side;
  readonly privateKey: Uint8Array;
  /** All of the other side's adaptor signatures, as the message has them. */
  readonly counterpartySignatures: Uint8Array;
}

/**
 * The signed CET for what the oracles attested, run through the interpreter before it is answered. Attestations of other events or with
 * wrong signatures are passed over. Throws `attestation_missing` where those that are left decide no case, `contract_refused` where
 * the counterparty's signature does not open (a signature that was never checked).
 */
export function settle(
  contract: DlcContract,
  attestations: readonly OracleAttestation[],
  { side, privateKey, counterpartySignatures }: SettlementKeys,
) {
  const decided = decide(contract, attestations);
  if (decided === null)
    throw new DomainError('attestation_missing', 'no attestations are here that decide the contract');
  const { caseIndex, scalar } = decided;
  if (counterpartySignatures.length !== contract.caseCount * ADAPTOR_SIGNATURE_BYTES)
    throw new DomainError(
      'contract_refused',
      'adaptor_signature_count: there is not one adaptor signature for each case',
    );
  const theirs = decryptSignature(signatureAt(counterpartySignatures, caseIndex), scalar);
  const publicKey = fundingKeyOf(contract, otherSide(side));
  const payouts = [contract.caseAt(caseIndex).offerPayoutSats, ...contract.neighbourPayoutsOf(caseIndex)];
  const offerPayoutSats = payouts.find((sats) => ecc.verifyEcdsa(contract.cetHashPaying(sats), publicKey, theirs));
  if (offerPayoutSats === undefined)
    throw new DomainError(
      'contract_refused',
      `cet_adaptor_signature: the other side's adaptor signature ${caseIndex} is not of its CET`,
    );
  const own = signHash(contract.cetHashPaying(offerPayoutSats), privateKey);
  const signatures = side === 'offer' ? { offer: own, accept: theirs } : { offer: theirs, accept: own };
  return {
    caseIndex,
    /** What the CET pays the offerer; off by a rounding from the case's where the other side rounds otherwise. */
    offerPayoutSats,
    transaction: signedClosing(contract, contract.cetPaying(offerPayoutSats), signatures),
  };
}

/** Which case the attestations decide, null while none. */
export const decidedCase = (contract: DlcContract, attestations: readonly OracleAttestation[]): number | null =>
  decide(contract, attestations)?.caseIndex ?? null;

function decide(
  contract: DlcContract,
  attestations: readonly OracleAttestation[],
): { readonly caseIndex: number; readonly scalar: Uint8Array } | null {
  for (const part of contract.parts) {
    const found = attestationsOf(part, attestations, contract);
    const outcomes = new Map([...found].map(([oracle, attestation]) => [oracle, attestation.outcomes]));
    const within = found.size === 0 ? null : caseFor(part.cases, outcomes);
    if (within === null) continue;
    const { attested } = part.cases[within] as (typeof part.cases)[number];
    const scalars = attested.flatMap(({ oracle, outcomes: { length } }) => {
      const { signatures } = found.get(oracle) as OracleAttestation;
      return signatures.slice(0, length).map(attestationScalar);
    });
    return { caseIndex: part.firstCase + within, scalar: sumScalars(scalars) };
  }
  return null;
}

/** The first of each of the part's oracles that is its attestation of the event, by position in the announcements. */
function attestationsOf(
  { contractCase }: ContractPart,
  attestations: readonly OracleAttestation[],
  { dialect }: DlcContract,
): Map<number, OracleAttestation> {
  const found = new Map<number, OracleAttestation>();
  for (const [oracle, announcement] of announcementsOf(contractCase.oracleInfo).entries()) {
    const attestation = attestations.find((candidate) => verifyAttestation(candidate, announcement, dialect));
    if (attestation) found.set(oracle, attestation);
  }
  return found;
}
