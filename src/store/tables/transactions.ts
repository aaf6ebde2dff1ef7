import type { BlockHash, Txid } from '../../core/outpoint.ts';
import type {
  ContractKind,
  Recipient,
  TransactionDirection,
  TransactionKind,
  TransactionRecord,
  TransactionStatus,
} from '../records.ts';
import { bytes, type Column, flag, integer, orNull, type RowOf, sats, table, text, time } from './columns.ts';

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

/** A transaction whose kind is in two fields: what it is to a contract (`kind` is then `payment`), or null. */
export interface FlatTransaction extends TransactionRecord {
  contractKind: ContractKind | null;
}
export const transactions = table<FlatTransaction>()('transactions', ['txid'], {
  accountId: text(),
  txid: text<Txid>(),
  unsignedTxid: text<Txid>(),
  walletId: text(),
  /** Dense position within the account, from 1: what pages are cut by. */
  ordinal: integer,
  kind: text<TransactionKind>(),
  status: text<TransactionStatus>(),
  direction: text<TransactionDirection>(),
  raw: orNull(bytes),
  psbt: orNull(text()),
  recipients,
  amountSats: sats,
  feeSats: orNull(sats),
  vsize: orNull(integer),
  version: integer,
  locktime: integer,
  inputCount: orNull(integer),
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
  createdAt: time,
  updatedAt: time,
});

export interface TransactionTables {
  transactions: RowOf<typeof transactions>;
  /** What a transaction spends, ours or not: how conflicts and replacements are found. */
  transaction_inputs: { account_id: string; txid: string; vin: bigint; prev_txid: string; prev_vout: bigint };
  /** Which wallets a transaction touches, by how much, and its dense position in each wallet's history. */
  wallet_transactions: {
    wallet_id: string;
    account_id: string;
    txid: string;
    ordinal: bigint;
    received_sats: bigint;
    sent_sats: bigint;
  };
}
