import { blockHash, type Txid } from '../../core/outpoint.ts';
import type { AddressEntry } from '../tables/address-scans.ts';
import { numberOrNull } from './column-values.ts';

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
