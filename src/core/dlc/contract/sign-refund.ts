import type { SignedContractTransaction } from '../transactions/contract-transaction.ts';
import type { Side } from '../transactions/funding-coins.ts';
import type { DlcContract } from './dlc-contract.ts';

/** Compact, low s and low r. */
export function signRefund(_contract: DlcContract, _privateKey: Uint8Array): Uint8Array {
  throw new Error('not made yet');
}

export function verifyRefund(_contract: DlcContract, _publicKey: Uint8Array, _signature: Uint8Array): boolean {
  throw new Error('not made yet');
}

/** The refund with both sides' signatures, run through the interpreter. Throws `contract_refused` where the signature is not the counterparty's. */
export function settleRefund(
  _contract: DlcContract,
  _own: { readonly side: Side; readonly privateKey: Uint8Array; readonly counterpartySignature: Uint8Array },
): SignedContractTransaction {
  throw new Error('not made yet');
}
