import type { Selectable } from 'kysely';
import type { BlockHash, Txid } from '../../core/outpoint.ts';
import { rowsOf } from '../queries/rows-of.ts';
import {
  CONTRACT_KINDS,
  type TransactionDirection,
  type TransactionKind,
  type TransactionRecord,
  type TransactionStatus,
} from '../records.ts';
import type { RowOf } from '../tables/columns.ts';
import { transactions as table } from '../tables/transactions.ts';
import { numberOrNull } from './column-values.ts';

/** As the two columns have it. */
export const kindColumns = (kind: TransactionKind) => {
  const contractKind = CONTRACT_KINDS.find((one) => one === kind) ?? null;
  return { kind: contractKind === null ? kind : 'payment', contractKind } as const;
};

const toTransaction = (row: Selectable<RowOf<typeof table>>): TransactionRecord => ({
  accountId: row.account_id,
  txid: row.txid as Txid,
  unsignedTxid: row.unsigned_txid as Txid,
  walletId: row.wallet_id,
  ordinal: Number(row.ordinal),
  kind: (row.contract_kind ?? row.kind) as TransactionKind,
  status: row.status as TransactionStatus,
  direction: row.direction as TransactionDirection,
  raw: row.raw,
  psbt: row.psbt,
  recipients: table.columns.recipients.load(row.recipients),
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
  createdAt: Number(row.created_at),
  updatedAt: Number(row.updated_at),
});

export const transactions = rowsOf(table, '', toTransaction);
