import type { OracleProof } from '../../core/dlc/contract/oracle-proof.ts';
import type { Dialect } from '../../core/dlc/dialect.ts';
import type { BlockHash, Txid } from '../../core/outpoint.ts';

export const CONTRACT_STATUSES = [
  'offered',
  'accepted',
  'signed',
  'funded',
  'confirmed',
  'executed',
  'refunded',
  'closed',
  'cancelled',
  'failed',
] as const;
export type ContractStatus = (typeof CONTRACT_STATUSES)[number];

/** Whose keys are here: both sides' (one holder, custody "single"), or one side's (custody "shared"). */
export type ContractRole = 'both' | 'offerer' | 'accepter';

/** Where a side's keys and coins are in its wallet. Branch and index; the wallet's descriptor has the rest of the path. */
export interface ContractSide {
  readonly walletId: string;
  readonly fundingKey: { readonly change: boolean; readonly index: number };
  readonly payout: { readonly change: boolean; readonly index: number; readonly address: string };
  readonly change: { readonly change: boolean; readonly index: number; readonly address: string };
  readonly inputs: readonly {
    readonly txid: Txid;
    readonly vout: number;
    readonly amountSats: string;
    readonly scriptPubKey: string;
    readonly change: boolean;
    readonly index: number;
    /** u64 in decimals. */
    readonly serialId: string;
  }[];
}

/** What of it is closed by: one of its own transactions, a cooperative close, or something that spends the output otherwise. */
export type ClosingKind = 'cet' | 'refund' | 'cooperative' | 'unknown';

export interface ContractRecord {
  /** `ctr_…` */
  readonly contractId: string;
  readonly accountId: string;
  readonly externalId: string | null;
  readonly status: ContractStatus;
  readonly role: ContractRole;
  readonly dialect: Dialect;
  /** As the record answers it: ids of the oracles, in order of preference. */
  readonly oracleIds: readonly string[];
  /** The events it waits for, in the same order. */
  readonly eventIds: readonly string[];
  readonly threshold: number;
  /** Enumerated: the outcomes and the offerer's payouts (satoshis in decimals). Numeric: empty. */
  readonly payouts: readonly { readonly outcome: string; readonly offerSats: string }[];
  /** Numeric: the descriptor as the caller gave it (JSON), or as it follows from the offer. */
  readonly descriptor: unknown;
  readonly collateralSats: bigint;
  readonly offerCollateralSats: bigint;
  readonly feeRateSatVb: bigint;
  readonly cetLocktime: number;
  readonly refundLocktime: number;
  /** Present as the role says. */
  readonly offerSide: ContractSide | null;
  readonly acceptSide: ContractSide | null;
  /** What tells its offer apart from others of the role: nobody can choose it (core/dlc/messages/offer-id.ts). */
  readonly offerId: string;
  /** Why several oracles that decide together are believed to know their nonces; null where no two do. */
  readonly oracleProof: OracleProof | null;
  /** hex; the offerer's choice, or of whoever changed the offer on its way. Coins are held under another name (core/dlc/coin-hold.ts). */
  readonly temporaryContractId: string;
  /** dlcspecs' id, hex; from `accepted` on. */
  readonly dlcContractId: string | null;
  readonly fundingTxid: Txid | null;
  readonly fundingVout: number | null;
  /** Where the funding transaction is in a block. */
  readonly fundingHeight: number | null;
  /** What spends the funding output, as far as seen. */
  readonly closingTxid: Txid | null;
  readonly closingKind: ClosingKind | null;
  readonly closingHeight: number | null;
  readonly closingBlockHash: BlockHash | null;
  readonly outcome: string | null;
  /** Signatures made or checked by now; null while nothing is under way. */
  readonly progress: { readonly stage: 'signing' | 'verifying'; readonly done: number; readonly total: number } | null;
  /** An offer that nobody took by then is cancelled. Epoch milliseconds. */
  readonly expiresAt: number | null;
  /** Why it failed, was cancelled, or has not got further. */
  readonly reason: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export type ContractMessageType = 'offer' | 'accept' | 'sign' | 'close';

export type ContractPatch = Partial<
  Omit<
    ContractRecord,
    'contractId' | 'accountId' | 'createdAt' | 'offerId' | 'oracleProof' | 'temporaryContractId' | 'role' | 'dialect'
  >
>;

export interface ContractFilter {
  status?: ContractStatus;
  role?: ContractRole;
  oracleId?: string;
  externalId?: string;
}

export interface DueAt {
  /** Epoch milliseconds. */
  readonly now: number;
  readonly height: number;
  /** Of that block, Unix seconds. */
  readonly medianTime: number;
}
