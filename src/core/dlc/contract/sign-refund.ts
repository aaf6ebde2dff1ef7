import { DomainError } from '../../errors.ts';
import { ecc } from '../../keys/ecc.ts';
import type { SignedContractTransaction } from '../transactions/contract-transaction.ts';
import { otherSide, type Side } from '../transactions/funding-coins.ts';
import type { DlcContract } from './dlc-contract.ts';
import { fundingKeyOf, signedClosing, signHash } from './spend-funding.ts';

/** Compact, low s and low r. The key is the caller's to zero. */
export const signRefund = (contract: DlcContract, privateKey: Uint8Array): Uint8Array =>
  signHash(contract.refundHash(), privateKey);

/** False for anything malformed, and for a high s, which nodes do not relay. */
export const verifyRefund = (contract: DlcContract, publicKey: Uint8Array, signature: Uint8Array): boolean =>
  ecc.verifyEcdsa(contract.refundHash(), publicKey, signature);

/** The refund with both sides' signatures, run through the interpreter. Throws `contract_refused` where the signature is not the counterparty's. */
export function settleRefund(
  contract: DlcContract,
  { side, privateKey, counterpartySignature }: RefundKeys,
): SignedContractTransaction {
  const other = otherSide(side);
  if (!verifyRefund(contract, fundingKeyOf(contract, other), counterpartySignature))
    throw new DomainError('contract_refused', "refund_signature: the other side's signature of the refund is wrong");
  const own = signRefund(contract, privateKey);
  const signatures =
    side === 'offer' ? { offer: own, accept: counterpartySignature } : { offer: counterpartySignature, accept: own };
  return signedClosing(contract, contract.refundTransaction, signatures);
}

export interface RefundKeys {
  /** Whose private key it is. */
  readonly side: Side;
  readonly privateKey: Uint8Array;
  readonly counterpartySignature: Uint8Array;
}
