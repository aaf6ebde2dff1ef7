import type { FeeRate } from '../../fee-rate.ts';
import type { ContractTransaction, SignedContractTransaction } from '../transactions/contract-transaction.ts';
import type { Side } from '../transactions/funding-coins.ts';
import type { DlcContract } from './dlc-contract.ts';

export interface CooperativeClose {
  readonly transaction: ContractTransaction;
  /** BIP143, SIGHASH_ALL: what both sign with their funding keys. */
  readonly hash: Uint8Array;
}

/**
 * Spends the funding output to both payout scripts. The closing fees that are in it are given back: what is left of the output beyond the
 * collateral pays the fee first; what the fee takes less goes half to each, what it takes more comes from each share by half. Throws
 * `invalid_value` (field offer_payout) beyond the collateral, `fee_too_high`.
 */
export function cooperativeClose(
  _contract: DlcContract,
  _terms: { readonly offerPayoutSats: bigint; readonly feeRate: FeeRate },
): CooperativeClose {
  throw new Error('not made yet');
}

/** Compact. */
export function signClose(_close: CooperativeClose, _privateKey: Uint8Array): Uint8Array {
  throw new Error('not made yet');
}

/** With both signatures, run through the interpreter. Throws `contract_refused`. */
export function signedClose(
  _contract: DlcContract,
  _close: CooperativeClose,
  _signatures: Readonly<Record<Side, Uint8Array>>,
): SignedContractTransaction {
  throw new Error('not made yet');
}
