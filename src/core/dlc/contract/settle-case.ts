import { parseAttestation } from '../messages/attestation.ts';
import type { SignedContractTransaction } from '../transactions/contract-transaction.ts';
import type { DlcContract } from './dlc-contract.ts';
import { decidedCase, type SettlementKeys, settle } from './settle.ts';

/** A settlement in plain data, told without going through the contract's cases once more. */
export interface SettledCase {
  readonly transaction: SignedContractTransaction;
  /** Which of the contract info's cases decided it. */
  readonly part: number;
  /** By whose attestations: positions in that case's announcements. */
  readonly oracles: readonly number[];
}

/** `attestations` on the wire, the ones that count first. null where they decide nothing; throws as `settle` does. */
export function settleCase(
  contract: DlcContract,
  attestations: readonly Uint8Array[],
  keys: SettlementKeys,
): SettledCase | null {
  const parsed = attestations.map((bytes) => parseAttestation(bytes));
  if (decidedCase(contract, parsed) === null) return null;
  const { caseIndex, transaction } = settle(contract, parsed, keys);
  return {
    transaction,
    part: contract.parts.indexOf(contract.partOf(caseIndex)),
    oracles: contract.caseAt(caseIndex).attested.map(({ oracle }) => oracle),
  };
}
