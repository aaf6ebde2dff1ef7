import type { Txid } from '../../outpoint.ts';
import type { AdaptorCase } from '../adaptor-case.ts';
import type { Dialect } from '../dialect.ts';
import type { ContractParty, OfferMessage } from '../dlc-messages.ts';
import type { ContractTransaction } from '../transactions/contract-transaction.ts';
import type { FundingTransaction } from '../transactions/funding-transaction.ts';
import type { ContractPart } from './contract-parts.ts';

/**
 * A contract as both sides know it from the offer and the accepter's part: its transactions, and for each case (one adaptor signature of
 * each side) the CET and the point under which its signature is encrypted. What is costly is made when first asked for.
 */
export interface DlcContract {
  readonly dialect: Dialect;
  readonly offer: OfferMessage;
  readonly acceptParty: ContractParty;
  /** dlcspecs Protocol.md; 32 bytes. */
  readonly contractId: Uint8Array;
  readonly totalCollateralSats: bigint;
  readonly fundingTransaction: FundingTransaction;
  readonly fundingTxid: Txid;
  readonly fundingVout: number;
  readonly fundingAmountSats: bigint;
  /** The 2-of-2 witness script. */
  readonly fundingScript: Uint8Array;
  readonly refundTransaction: ContractTransaction;
  /** As many as each side makes adaptor signatures. */
  readonly caseCount: number;
  /** Throws RangeError beyond caseCount, as the others by index do. */
  caseAt(caseIndex: number): AdaptorCase;
  /** Which of the contract's (disjoint) cases of the offer's contract info it belongs to. */
  partOf(caseIndex: number): ContractPart;
  cetOf(caseIndex: number): ContractTransaction;
  /** The CET that pays the offerer so much. */
  cetPaying(offerPayoutSats: bigint): ContractTransaction;
  /** What its signatures sign (BIP143, SIGHASH_ALL); kept by payout. */
  cetHashOf(caseIndex: number): Uint8Array;
  cetHashPaying(offerPayoutSats: bigint): Uint8Array;
  /** What a case would pay rounded the other way (NumericOutcome.md): the other side's signature may be of one of these, where it was believed. */
  neighbourPayoutsOf(caseIndex: number): bigint[];
  refundHash(): Uint8Array;
  /** Uncompressed: the sum of the attestation points of what the oracles have to attest. */
  encryptionPointOf(caseIndex: number): Uint8Array;
  /** The parts, in the order of the contract info. */
  readonly parts: readonly ContractPart[];
}

/** Cases from..to-1. */
export interface CaseRange {
  readonly from: number;
  readonly to: number;
}
