/** The three messages that make a contract (dlcspecs Protocol.md). Scripts and transactions are bytes, serial ids u64. */
import type { ContractInfo, RoundingInterval } from './contract-info.ts';

export const MESSAGE_TYPE = { offer: 42778, accept: 42780, sign: 42782 } as const;

export interface FundingInput {
  readonly serialId: bigint;
  readonly previousTransaction: Uint8Array;
  readonly previousVout: number;
  readonly sequence: number;
  readonly maxWitnessLength: number;
  /** Empty unless it is P2SH around a witness program. */
  readonly redeemScript: Uint8Array;
}

/** What each side brings, whichever message tells it. */
export interface ContractParty {
  /** Compressed. */
  readonly fundingPublicKey: Uint8Array;
  readonly payoutScript: Uint8Array;
  readonly payoutSerialId: bigint;
  readonly collateralSats: bigint;
  readonly fundingInputs: readonly FundingInput[];
  readonly changeScript: Uint8Array;
  readonly changeSerialId: bigint;
}

export interface OfferMessage {
  readonly protocolVersion: number;
  readonly contractFlags: number;
  /** Genesis hash in internal byte order, or as the dialect has it. */
  readonly chainHash: Uint8Array;
  readonly temporaryContractId: Uint8Array;
  readonly contractInfo: ContractInfo;
  readonly party: ContractParty;
  readonly fundOutputSerialId: bigint;
  readonly feeRateSatVb: bigint;
  readonly cetLocktime: number;
  readonly refundLocktime: number;
  /** The TLV stream at the end, kept as it came. */
  readonly tlvs: Uint8Array;
}

export type NegotiationFields =
  | { readonly kind: 'single'; readonly roundingIntervals: readonly RoundingInterval[] }
  | { readonly kind: 'disjoint'; readonly fields: readonly NegotiationFields[] };

export interface AcceptMessage {
  readonly protocolVersion: number;
  readonly temporaryContractId: Uint8Array;
  readonly party: ContractParty;
  /** 162 bytes each, one after the other, in the order of the contract's cases. */
  readonly cetAdaptorSignatures: Uint8Array;
  /** Compact, 64 bytes. */
  readonly refundSignature: Uint8Array;
  readonly negotiationFields: NegotiationFields | null;
  readonly tlvs: Uint8Array;
}

export interface SignMessage {
  readonly protocolVersion: number;
  readonly contractId: Uint8Array;
  /** As in AcceptMessage. */
  readonly cetAdaptorSignatures: Uint8Array;
  /** Compact, 64 bytes. */
  readonly refundSignature: Uint8Array;
  /** A witness stack for each of the offerer's funding inputs, in the order in which the offer lists them. */
  readonly fundingSignatures: readonly (readonly Uint8Array[])[];
  readonly tlvs: Uint8Array;
}
