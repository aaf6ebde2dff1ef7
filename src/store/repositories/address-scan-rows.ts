import type { Selectable } from 'kysely';
import { blockHash, type Txid } from '../../core/outpoint.ts';
import type { AddressCoin, AddressEntry, AddressScanRecord, AddressScanState } from '../interfaces/address-scans.ts';
import type { Schema } from '../schema.ts';
import { numberOrNull } from './column-values.ts';

export const toAddressScan = (row: Selectable<Schema['address_scans']>): AddressScanRecord => ({
  scanId: row.scan_id,
  accountId: row.account_id,
  address: row.address,
  scriptPubKey: row.script_pubkey,
  state: row.state as AddressScanState,
  fromHeight: Number(row.from_height),
  atHeight: numberOrNull(row.at_height),
  atHash: row.at_hash === null ? null : blockHash(row.at_hash),
  toHeight: numberOrNull(row.to_height),
  error: row.error,
  restarts: Number(row.restarts),
  createdAt: Number(row.created_at),
  finishedAt: numberOrNull(row.finished_at),
});

export const toAddressCoin = (
  row: Pick<
    Selectable<Schema['address_scan_coins']>,
    'txid' | 'vout' | 'amount_sats' | 'height' | 'block_hash' | 'coinbase'
  >,
): AddressCoin => ({
  txid: row.txid as Txid,
  vout: Number(row.vout),
  amountSats: row.amount_sats,
  height: Number(row.height),
  blockHash: blockHash(row.block_hash),
  coinbase: row.coinbase === 1n,
});

export interface EntryRow {
  txid: string;
  height: bigint | null;
  block_hash: string | null;
  received: bigint;
  spent: bigint;
}

export const toAddressEntry = (row: EntryRow): AddressEntry => ({
  txid: row.txid as Txid,
  blockHeight: numberOrNull(row.height),
  blockHash: row.block_hash === null ? null : blockHash(row.block_hash),
  receivedSats: BigInt(row.received),
  spentSats: BigInt(row.spent),
});
