import type { Generated } from 'kysely';
import { coinHoldOf } from '../../core/dlc/coin-hold.ts';
import type { OracleProof } from '../../core/dlc/contract/oracle-proof.ts';
import type { Dialect } from '../../core/dlc/dialect.ts';
import type { ContractStatus } from '../../core/events/statuses.ts';
import type { AccountId, ApprovalId, ContractId, OracleId, WalletId } from '../../core/ids.ts';
import type { BlockHash, Txid } from '../../core/outpoint.ts';
import type { RecordedVerdict } from '../../core/policies/recorded-verdict.ts';
import { integer, json, orNull, type RecordOf, type RowOf, sats, table, text, time } from '../queries/columns.ts';
import { countsColumn } from './counted-sums.ts';

/** A contract's step from one status to another, for those who are told of it once it is committed. */
export interface ContractMove {
  /** null: it is new. */
  readonly from: ContractStatus | null;
  /** As it is then. */
  readonly contract: ContractRecord;
  /** The chain took back what was told before. */
  readonly retracts: boolean;
}

export { CONTRACT_STATUSES, type ContractStatus } from '../../core/events/statuses.ts';

/** Whose keys are here: both sides' (one holder, custody "single"), or one side's (custody "shared"). */
export type ContractRole = 'both' | 'offerer' | 'accepter';

/** Where a side's keys and coins are in its wallet. Branch and index; the wallet's descriptor has the rest of the path. */
export interface ContractSide {
  readonly walletId: WalletId;
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
  oracleId?: OracleId;
  externalId?: string;
}

export interface DueAt {
  /** Epoch milliseconds. */
  readonly now: number;
  readonly height: number;
  /** Of that block, Unix seconds. */
  readonly medianTime: number;
}

export const contracts = table(
  'contracts',
  ['contractId'],
  {
    /** `ctr_…` */
    contractId: text<ContractId>(),
    accountId: text<AccountId>(),
    externalId: orNull(text()),
    status: text<ContractStatus>(),
    role: text<ContractRole>(),
    dialect: text<Dialect>(),
    /** As the record answers it: ids of the oracles, in order of preference. */
    oracleIds: json<readonly OracleId[]>(),
    /** The events it waits for, in the same order. */
    eventIds: json<readonly string[]>(),
    threshold: integer,
    /** Enumerated: the outcomes and the offerer's payouts (satoshis in decimals). Numeric: empty. */
    payouts: json<readonly { readonly outcome: string; readonly offerSats: string }[]>(),
    /** Numeric: the descriptor as the caller gave it (JSON), or as it follows from the offer. */
    descriptor: orNull(json<unknown>()),
    collateralSats: sats,
    offerCollateralSats: sats,
    feeRateSatVb: sats,
    cetLocktime: integer,
    refundLocktime: integer,
    /** Present as the role says. */
    offerSide: orNull(json<ContractSide>()),
    acceptSide: orNull(json<ContractSide>()),
    /**
     * What tells its offer apart from others of the role: nobody can choose it (core/dlc/messages/offer-id.ts). Of offers made before there
     * was one: their temporary id.
     */
    offerId: text(),
    /** Why several oracles that decide together are believed to know their nonces; null where no two do. */
    oracleProof: orNull(text<OracleProof>()),
    /** hex; the offerer's choice, or of whoever changed the offer on its way. Coins are held under another name (core/dlc/coin-hold.ts). */
    temporaryContractId: text(),
    /** dlcspecs' id, hex; from `accepted` on. */
    dlcContractId: orNull(text()),
    fundingTxid: orNull(text<Txid>()),
    fundingVout: orNull(integer),
    /** Where the funding transaction is in a block. */
    fundingHeight: orNull(integer),
    /** What spends the funding output, as far as seen. */
    closingTxid: orNull(text<Txid>()),
    closingKind: orNull(text<ClosingKind>()),
    closingHeight: orNull(integer),
    closingBlockHash: orNull(text<BlockHash>()),
    /** JSON: counterparties choose its characters, and PostgreSQL's text has no zero among them. */
    outcome: orNull(json<string>()),
    /** Signatures made or checked by now; null while nothing is under way. */
    progress: orNull(
      json<{ readonly stage: 'signing' | 'verifying'; readonly done: number; readonly total: number }>(),
    ),
    /** An offer that nobody took by then is cancelled. Epoch milliseconds. */
    expiresAt: orNull(time),
    /** Why it failed, was cancelled, or has not got further. */
    reason: orNull(text()),
    /** What it adds to the account's sums unless it was cancelled or failed; null: nothing. */
    counts: orNull(countsColumn),
    /** What the rules said of it when it was offered or accepted; null where the account had none. */
    policy: orNull(json<RecordedVerdict>()),
    /** The approval that it waits, or last waited, for. */
    approvalId: orNull(text<ApprovalId>()),
    createdAt: time,
    updatedAt: time,
  },
  {
    /** What coins are claimed by until the funding transaction is known. */
    coin_hold: ({ contractId }: { contractId: ContractId }): Txid => coinHoldOf(contractId),
  },
);
export type ContractRecord = RecordOf<typeof contracts>;

declare module '../schema.ts' {
  interface Schema {
    contracts: RowOf<typeof contracts> & {
      /** Of how many of its events an attestation is kept. */
      attested: Generated<bigint>;
    };
    contract_oracles: {
      contract_id: string;
      position: bigint;
      account_id: AccountId;
      oracle_id: OracleId;
      event_id: string | null;
    };
    contract_messages: { contract_id: string; type: string; account_id: AccountId; message: Uint8Array };
    contract_fundings: {
      funding_id: Generated<bigint>;
      contract_id: string;
      account_id: AccountId;
      txid: string;
      vout: bigint;
    };
  }
}
