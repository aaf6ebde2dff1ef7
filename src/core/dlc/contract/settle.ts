import type { SigningTools } from '../../transactions/sign-transaction.ts';
import type { OracleAttestation } from '../oracle-event.ts';
import type { SignedContractTransaction } from '../transactions/contract-transaction.ts';
import type { Side } from '../transactions/funding-coins.ts';
import type { DlcContract } from './dlc-contract.ts';

export interface SettlementKeys {
  /** Whose private key it is. */
  readonly side: Side;
  readonly privateKey: Uint8Array;
  /** All of the other side's adaptor signatures, as the message has them. */
  readonly counterpartySignatures: Uint8Array;
}

export interface Settlement {
  readonly caseIndex: number;
  /** By what the CET pays; off by a rounding from the case's where the other side rounds otherwise. */
  readonly offerPayoutSats: bigint;
  /** As `outcome` of the record: the outcome, or a numeric value's decimals. */
  readonly transaction: SignedContractTransaction;
}

/**
 * The signed CET for what the oracles attested, run through the interpreter before it is answered. Attestations of other events or with
 * wrong signatures are passed over. Throws `attestation_missing` where those that are left decide no case, `contract_refused` where
 * the counterparty's signature does not open (a signature that was never checked).
 */
export function settle(
  _contract: DlcContract,
  _attestations: readonly OracleAttestation[],
  _keys: SettlementKeys,
  _tools: Pick<SigningTools, 'ecc' | 'randomBytes'>,
): Settlement {
  throw new Error('not made yet');
}

/** Which case the attestations decide, null while none. */
export function decidedCase(_contract: DlcContract, _attestations: readonly OracleAttestation[]): number | null {
  throw new Error('not made yet');
}
