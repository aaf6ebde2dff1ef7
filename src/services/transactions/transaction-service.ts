/**
 * Payments: made, read, replaced, helped and given up. Every method sees the context's account alone; to it, what belongs to another
 * account is `not_found`. Answers that make a transaction are given only after its signed bytes are committed; the status says how
 * far it got: `broadcast` (a node has it), `signed` (no node took it yet, it is sent again), `failed` (a node refused it for good),
 * `awaiting_signature` (the wallet's keys are not all here: others sign its PSBT, and its coins are kept for it).
 */
import type { DomainError } from '../../core/errors.ts';
import type { FeeRate } from '../../core/fee-rate.ts';
import type { Txid } from '../../core/outpoint.ts';
import type { PaymentRequest } from '../../core/payments/payment-plan.ts';
import type {
  Page,
  PageRequest,
  TransactionDirection,
  TransactionRecord,
  TransactionStatus,
  WalletId,
} from '../../store/records.ts';
import type { Repositories } from '../../store/store.ts';
import type { Held } from '../approvals/held-answer.ts';
import type { Reading, RequestContext } from '../requests/request-context.ts';

export { TRANSACTION_STATUSES } from '../../store/records.ts';

/** How a draft becomes a transaction. */
export interface CommitOptions {
  /** What it would be is answered, and nothing of it is kept. */
  readonly dryRun?: boolean | undefined;
  /** In the job of the commit, before all else: for those who pay as a part of something else, which may be impossible by now. */
  readonly first?: (tx: Repositories) => Promise<void>;
  /** In the same job, beside a record that may wait for approval, and is signed later then. */
  readonly besides?: (tx: Repositories, record: TransactionRecord) => Promise<void>;
  /** What is written in the job of the commit, beside the record: for those who pay as a part of something else. */
  readonly alongside?: (tx: Repositories, record: TransactionRecord) => Promise<void>;
  /** What the request is answered with, as it stands within the job; the transaction itself unless said. */
  readonly answer?: (view: TransactionView, tx: Repositories) => unknown;
}

interface ReplacementRequest extends Pick<CommitOptions, 'dryRun'> {
  readonly feeRate: FeeRate;
  /** The feerate is an estimate: where it is too little to replace the transaction, the least that is enough is paid. */
  readonly orLeast?: boolean | undefined;
  /** Evict own descendants too, paying their recipients in the replacement. */
  readonly replaceDescendants?: boolean | undefined;
  /** Indices of recipients that pay what the change cannot, instead of further coins; for payments of all coins. */
  readonly subtractFeeFrom?: readonly number[] | undefined;
}

export interface CancelRequest extends Pick<ReplacementRequest, 'dryRun' | 'orLeast' | 'replaceDescendants'> {
  /** Absent: the least that replaces the transaction. */
  readonly feeRate?: FeeRate | undefined;
}

interface CpfpRequest extends Pick<CommitOptions, 'dryRun'> {
  readonly feeRate: FeeRate;
}

export interface TransactionView extends TransactionRecord {
  readonly confirmations: number;
  /** Of a dry run: nothing of it is kept, and its status is what it would have been. `bounded`: as of a plan. */
  readonly preview?: { readonly bounded: boolean };
}

export type ShownTransactionView = Omit<TransactionView, 'raw' | 'counts' | 'asked'>;
export type ListedTransactionView = Omit<ShownTransactionView, 'psbt'>;

export interface TransactionQuery {
  readonly status?: TransactionStatus | undefined;
  readonly walletId?: WalletId | undefined;
  readonly direction?: TransactionDirection | undefined;
  readonly externalId?: string | undefined;
  readonly label?: string | undefined;
}

export type BulkOutcome = { readonly transaction: TransactionView } | { readonly refusal: DomainError };

export interface TransactionService {
  /**
   * Selects, builds, signs, commits, broadcasts. With `dryRun`, here and below, the same answer, and nothing kept.
   * Throws `node_unavailable` and `node_syncing` (before anything is kept), `not_found`, `wrong_network`, `invalid_address`, `dust`,
   * `insufficient_funds`, `coin_unavailable`, `fee_too_low`, `fee_too_high`, `amount_too_small_for_fee`, `too_large`,
   * `too_many_ancestors`, `truc_violation`, `signing_unavailable`, `already_exists` (external_id), `policy_denied`.
   */
  create(request: PaymentRequest, options: CommitOptions, context: RequestContext): Promise<TransactionView>;
  /**
   * Each request has its own outcome, in order; all that can be made are committed together, with the answer. One that was refused before
   * stays so.
   */
  createBulk(
    requests: readonly (PaymentRequest | DomainError)[],
    options: Pick<CommitOptions, 'dryRun'>,
    context: RequestContext,
  ): Promise<BulkOutcome[]>;
  /** By txid or unsigned txid. */
  get(txid: Txid, context: Reading): Promise<ShownTransactionView>;
  list(query: TransactionQuery, page: PageRequest, context: RequestContext): Promise<Page<ListedTransactionView>>;
  /** A wallet's history; `not_found` where the account has no such wallet. */
  listOfWallet(
    walletId: WalletId,
    query: Omit<TransactionQuery, 'walletId'>,
    page: PageRequest,
    context: RequestContext,
  ): Promise<Page<ListedTransactionView>>;
  /**
   * The same payment at a higher feerate, replacing the first (BIP125 rules as in Bitcoin Core, full RBF). Answers the new record.
   * Throws `state_conflict`, `descendants_would_be_evicted`, `fee_too_low` (naming the rule and the fee that would do), `policy_refused`.
   */
  bump(txid: Txid, request: ReplacementRequest, context: RequestContext): Promise<TransactionView>;
  /** A child that spends an output of ours so that both together pay the feerate. Answers the child. */
  cpfp(txid: Txid, request: CpfpRequest, context: RequestContext): Promise<TransactionView>;
  /** Spends the payment's coins back to the wallet, replacing it. Answers the new record; one that was never signed is given up instead. */
  cancel(txid: Txid, request: CancelRequest, context: RequestContext): Promise<TransactionView>;
  /**
   * Takes the signatures of a PSBT (base64 or hex, version 0 or 2) over to a payment that waits for them. With the last one it is
   * finalized, committed under the txid that signatures give it, and broadcast. Answers the record as it stands then; Held where rules
   * want it approved first. Throws `state_conflict` where it waits for none, `invalid_psbt`, and mergeSignatures' refusals.
   */
  addSignatures(txid: Txid, psbt: string, context: RequestContext): Promise<TransactionView | Held>;
  /** The PSBT of a payment that waits for signatures, base64. Throws `state_conflict`, and `not_representable` for version 0. */
  psbt(txid: Txid, version: 0 | 2, context: RequestContext): Promise<{ psbt: string; version: 0 | 2 }>;
  /** Gives up a payment that is in no mempool and frees its coins. Answers it, `abandoned`. */
  abandon(txid: Txid, context: RequestContext): Promise<TransactionView>;
}
