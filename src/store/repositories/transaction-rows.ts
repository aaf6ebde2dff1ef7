import type { Selectable } from 'kysely';
import type { TransactionStatus } from '../../core/events/statuses.ts';
import type { AccountId, ApprovalId, WalletId } from '../../core/ids.ts';
import type { BlockHash, Outpoint, Txid } from '../../core/outpoint.ts';
import type { RecordedSpending } from '../../core/policies/recorded-spending.ts';
import type { RecordedVerdict } from '../../core/policies/recorded-verdict.ts';
import {
  bytes,
  type Column,
  flag,
  integer,
  json,
  orNull,
  type RecordOf,
  type RowOf,
  sats,
  table,
  text,
  time,
} from '../queries/columns.ts';
import { rowsOf } from '../queries/rows-of.ts';
import { numberOrNull } from './column-values.ts';
import { countsColumn } from './counted-sums.ts';

export interface TransactionFilter {
  walletId?: WalletId;
  status?: TransactionStatus;
  direction?: TransactionDirection;
  externalId?: string;
  label?: string;
}

export { TRANSACTION_STATUSES, type TransactionStatus } from '../../core/events/statuses.ts';

export type TransactionDirection = 'outgoing' | 'incoming' | 'internal';

/**
 * What a payment is to a contract. A funding transaction that only the counterparty can complete is `signed`, its bytes null until it is
 * seen; a CET or refund whose bytes are null is the counterparty's, found on the chain.
 */
export const CONTRACT_KINDS = ['funding', 'cet', 'refund', 'cooperative_close'] as const;

export type ContractKind = (typeof CONTRACT_KINDS)[number];

export type TransactionKind = 'payment' | 'deposit' | 'bump' | 'cpfp' | 'cancel' | ContractKind;

export interface Recipient {
  address: string;
  amountSats: bigint;
}

export interface TransactionInput {
  vin: number;
  prev: Outpoint;
}

/** What a transaction did to one wallet. */
export interface WalletEffect {
  walletId: WalletId;
  receivedSats: bigint;
  sentSats: bigint;
}

interface StoredRecipient {
  address: string;
  amount_sats: string;
}
const recipients: Column<Recipient[], string> = {
  load: (stored) =>
    (JSON.parse(stored) as StoredRecipient[]).map(({ address, amount_sats }) => ({
      address,
      amountSats: BigInt(amount_sats),
    })),
  store: (list) =>
    JSON.stringify(
      list.map(({ address, amountSats }): StoredRecipient => ({ address, amount_sats: amountSats.toString() })),
    ),
};

const policy = orNull(json<RecordedVerdict>());
const asked = orNull(json<RecordedSpending>());

const transactionsTable = table('transactions', ['txid'], {
  accountId: text<AccountId>(),
  txid: text<Txid>(),
  unsignedTxid: text<Txid>(),
  /** The paying wallet, or else the first receiving one. */
  walletId: text<WalletId>(),
  /** Dense position within the account, from 1: what pages are cut by. */
  ordinal: integer,
  kind: text<TransactionKind>(),
  status: text<TransactionStatus>(),
  direction: text<TransactionDirection>(),
  /** The signed transaction's bytes. */
  raw: orNull(bytes),
  psbt: orNull(text()),
  recipients,
  amountSats: sats,
  /** null where inputs are not ours and their amounts unknown. */
  feeSats: orNull(sats),
  vsize: orNull(integer),
  version: integer,
  locktime: integer,
  /** null where it was not counted: records of former versions whose inputs are not all known. */
  inputCount: orNull(integer),
  /** The part of the fee that lifted unconfirmed ancestors to the asked feerate. */
  ancestorFeeSats: sats,
  rbf: flag,
  blockHeight: orNull(integer),
  blockHash: orNull(text<BlockHash>()),
  replaces: orNull(text<Txid>()),
  replacedBy: orNull(text<Txid>()),
  label: orNull(text()),
  externalId: orNull(text()),
  reason: orNull(text()),
  contractKind: orNull(text<ContractKind>()),
  /** What the account's rules said; null where there were none to ask. */
  policy,
  /** What it adds to the account's sums while it is alive; null: nothing. */
  counts: orNull(countsColumn),
  /** What the rules were asked, for a replay under others; null where nobody asked for it. */
  asked,
  /** What it waits, or waited, for. */
  approvalId: orNull(text<ApprovalId>()),
  createdAt: time,
  updatedAt: time,
});
export type FlatTransaction = RecordOf<typeof transactionsTable>;
export type TransactionRecord = Omit<FlatTransaction, 'contractKind'>;
export type ShownTransaction = Omit<TransactionRecord, 'raw' | 'counts' | 'asked'>;
export type ListedTransaction = Omit<ShownTransaction, 'psbt'>;

declare module '../schema.ts' {
  interface Schema {
    transactions: RowOf<typeof transactionsTable>;
    /** What a transaction spends, ours or not: how conflicts and replacements are found. */
    transaction_inputs: { account_id: AccountId; txid: string; vin: bigint; prev_txid: string; prev_vout: bigint };
    /** Which wallets a transaction touches, by how much, and its dense position in each wallet's history. */
    wallet_transactions: {
      wallet_id: string;
      account_id: AccountId;
      txid: string;
      ordinal: bigint;
      received_sats: bigint;
      sent_sats: bigint;
    };
  }
}

/** As the two columns have it. */
export const kindColumns = (kind: TransactionKind) => {
  const contractKind = CONTRACT_KINDS.find((one) => one === kind) ?? null;
  return { kind: contractKind === null ? kind : 'payment', contractKind } as const;
};

type Row = Selectable<RowOf<typeof transactionsTable>>;

/** What lists show: transactions' bytes and PSBTs may be large, and nobody reads them there. */
export const LISTED = [
  ...(['account_id', 'txid', 'unsigned_txid', 'wallet_id', 'ordinal', 'kind', 'contract_kind', 'status'] as const),
  ...(['direction', 'recipients', 'amount_sats', 'fee_sats', 'vsize', 'version', 'locktime', 'input_count'] as const),
  ...(['ancestor_fee_sats', 'rbf', 'block_height', 'block_hash', 'replaces', 'replaced_by', 'label'] as const),
  ...(['external_id', 'reason', 'policy', 'approval_id', 'created_at', 'updated_at'] as const),
] as const satisfies (keyof Row)[];
export type ListedRow = Pick<Row, (typeof LISTED)[number]>;

export const toListed = (row: ListedRow): ListedTransaction => ({
  accountId: row.account_id as AccountId,
  txid: row.txid as Txid,
  unsignedTxid: row.unsigned_txid as Txid,
  walletId: row.wallet_id as WalletId,
  ordinal: Number(row.ordinal),
  kind: (row.contract_kind ?? row.kind) as TransactionKind,
  status: row.status as TransactionStatus,
  direction: row.direction as TransactionDirection,
  recipients: transactionsTable.columns.recipients.load(row.recipients),
  amountSats: row.amount_sats,
  feeSats: row.fee_sats,
  vsize: numberOrNull(row.vsize),
  version: Number(row.version),
  locktime: Number(row.locktime),
  inputCount: numberOrNull(row.input_count),
  ancestorFeeSats: row.ancestor_fee_sats,
  rbf: row.rbf === 1n,
  blockHeight: numberOrNull(row.block_height),
  blockHash: row.block_hash as BlockHash | null,
  replaces: row.replaces as Txid | null,
  replacedBy: row.replaced_by as Txid | null,
  label: row.label,
  externalId: row.external_id,
  reason: row.reason,
  policy: policy.load(row.policy),
  approvalId: row.approval_id as ApprovalId | null,
  createdAt: Number(row.created_at),
  updatedAt: Number(row.updated_at),
});

export const transactions = rowsOf(
  transactionsTable,
  'on conflict (txid, account_id) do nothing',
  (row): TransactionRecord => {
    const { raw, psbt } = row;
    const counts = transactionsTable.columns.counts.load(row.counts);
    return Object.assign(toListed(row), { raw, psbt, counts, asked: asked.load(row.asked) });
  },
);
/** As answers show it. */
export const shown = rowsOf(
  transactionsTable,
  '',
  (row): ShownTransaction => Object.assign(toListed(row), { psbt: row.psbt }),
  ['raw', 'counts', 'asked'],
);
