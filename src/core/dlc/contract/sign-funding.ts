import type { SigningTools } from '../../transactions/sign-transaction.ts';
import type { KeyRing, SpendableCoin } from '../../transactions/signing-input.ts';
import type { SignedContractTransaction } from '../transactions/contract-transaction.ts';
import type { Side } from '../transactions/funding-coins.ts';
import type { DlcContract } from './dlc-contract.ts';

export type WitnessStack = readonly Uint8Array[];

/**
 * A witness stack for each of the side's funding inputs, in the order in which its message lists them. `coins` are the wallet's records
 * of them, in any order. Throws `signing_unavailable`.
 */
export function signFunding(
  _contract: DlcContract,
  _side: Side,
  _coins: readonly SpendableCoin[],
  _keys: KeyRing,
  _tools: SigningTools,
): WitnessStack[] {
  throw new Error('not made yet');
}

/** The funding transaction with both sides' witnesses, each run through the interpreter. Throws `contract_refused` naming the input. */
export function signedFunding(
  _contract: DlcContract,
  _witnesses: Readonly<Record<Side, readonly WitnessStack[]>>,
): SignedContractTransaction {
  throw new Error('not made yet');
}
