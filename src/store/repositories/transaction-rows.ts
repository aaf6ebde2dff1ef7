import type { Insertable, Selectable, Updateable } from 'kysely';
import type { BlockHash, Txid } from '../../core/outpoint.ts';
import {
  CONTRACT_KINDS,
  type ContractKind,
  type Recipient,
  type TransactionDirection,
  type TransactionKind,
  type TransactionRecord,
  type TransactionStatus,
} from '../records.ts';
import type { Schema } from '../schema.ts';
import { bigintOrNull, flag, ifGiven, numberOrNull } from './column-values.ts';

interface StoredRecipient {
  address: string;
  amount_sats: string;
}

const recipientsText = (recipients: readonly Recipient[]): string =>
  JSON.stringify(
    recipients.map(({ address, amountSats }): StoredRecipient => ({ address, amount_sats: amountSats.toString() })),
  );
const parseRecipients = (text: string): Recipient[] =>
  (JSON.parse(text) as StoredRecipient[]).map(({ address, amount_sats }) => ({
    address,
    amountSats: BigInt(amount_sats),
  }));

const contractKind = (kind: TransactionKind): ContractKind | null => CONTRACT_KINDS.find((one) => one === kind) ?? null;
/** As the two columns have it. */
const kindColumns = (kind: TransactionKind) => {
  const ofContract = contractKind(kind);
  return { kind: ofContract === null ? kind : 'payment', contract_kind: ofContract };
};

export const toTransaction = (row: Selectable<Schema['transactions']>): TransactionRecord => ({
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
  recipients: parseRecipients(row.recipients),
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

export const transactionColumns = (
  record: Omit<TransactionRecord, 'ordinal'>,
  ordinal: bigint,
): Insertable<Schema['transactions']> => ({
  account_id: record.accountId,
  txid: record.txid,
  unsigned_txid: record.unsignedTxid,
  wallet_id: record.walletId,
  ordinal,
  ...kindColumns(record.kind),
  status: record.status,
  direction: record.direction,
  raw: record.raw,
  psbt: record.psbt,
  recipients: recipientsText(record.recipients),
  amount_sats: record.amountSats,
  fee_sats: record.feeSats,
  vsize: bigintOrNull(record.vsize),
  version: BigInt(record.version),
  locktime: BigInt(record.locktime),
  input_count: bigintOrNull(record.inputCount),
  ancestor_fee_sats: record.ancestorFeeSats,
  rbf: flag(record.rbf),
  block_height: bigintOrNull(record.blockHeight),
  block_hash: record.blockHash,
  replaces: record.replaces,
  replaced_by: record.replacedBy,
  label: record.label,
  external_id: record.externalId,
  reason: record.reason,
  created_at: BigInt(record.createdAt),
  updated_at: BigInt(record.updatedAt),
});

export const transactionPatch = (patch: Partial<TransactionRecord>): Updateable<Schema['transactions']> => ({
  status: patch.status,
  direction: patch.direction,
  ...ifGiven(patch.kind, kindColumns),
  wallet_id: patch.walletId,
  raw: patch.raw,
  psbt: patch.psbt,
  recipients: ifGiven(patch.recipients, recipientsText),
  amount_sats: patch.amountSats,
  fee_sats: patch.feeSats,
  vsize: ifGiven(patch.vsize, bigintOrNull),
  block_height: ifGiven(patch.blockHeight, bigintOrNull),
  block_hash: patch.blockHash,
  replaces: patch.replaces,
  replaced_by: patch.replacedBy,
  label: patch.label,
  external_id: patch.externalId,
  reason: patch.reason,
  updated_at: ifGiven(patch.updatedAt, BigInt),
});
