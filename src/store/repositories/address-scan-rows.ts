import { type BlockHash, blockHash, type Txid } from '../../core/outpoint.ts';
import { numberOrNull } from './column-values.ts';

/** What a transaction did to an address. */
export interface AddressEntry {
  txid: Txid;
  /** null: unconfirmed. */
  blockHeight: number | null;
  blockHash: BlockHash | null;
  receivedSats: bigint;
  spentSats: bigint;
}

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
