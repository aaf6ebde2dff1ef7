import type { BlockHash, Outpoint, Txid } from '../../core/outpoint.ts';
import { flag, integer, named, orNull, type RecordOf, type RowOf, sats, table, text, time } from './columns.ts';

export const ADDRESS_SCAN_STATES = ['queued', 'running', 'done', 'failed'] as const;

export type AddressScanState = (typeof ADDRESS_SCAN_STATES)[number];

/** An output that pays the address, in a block. */
export interface AddressCoin extends Outpoint {
  amountSats: bigint;
  height: number;
  blockHash: BlockHash;
  coinbase: boolean;
}

export interface AddressSpend {
  outpoint: Outpoint;
  by: Txid;
  height: number;
  blockHash: BlockHash;
}

/** What a transaction did to an address. */
export interface AddressEntry {
  txid: Txid;
  /** null: unconfirmed. */
  blockHeight: number | null;
  blockHash: BlockHash | null;
  receivedSats: bigint;
  spentSats: bigint;
}

export interface AddressTotals {
  confirmedSats: bigint;
  /** In blocks, not to be spent yet: coinbase outputs below 100 confirmations. Not part of confirmed. */
  immatureSats: bigint;
  /** Unconfirmed. */
  pendingSats: bigint;
  unspentCount: number;
}

export type ScanKey = Pick<AddressScanRecord, 'accountId' | 'scanId'>;

export const addressScans = table('address_scans', ['scanId'], {
  scanId: text(),
  accountId: text(),
  address: text(),
  /** hex */
  scriptPubKey: named('script_pubkey', text()),
  state: text<AddressScanState>(),
  fromHeight: integer,
  /** The last block that was looked at, null before the first. When done, the results are as of it. */
  atHeight: orNull(integer),
  atHash: orNull(text<BlockHash>()),
  toHeight: orNull(integer),
  error: orNull(text()),
  /** How often a block that had been looked at left the chain, so that the scan began anew. */
  restarts: integer,
  createdAt: time,
  finishedAt: orNull(time),
});
export type AddressScanRecord = RecordOf<typeof addressScans>;

export const addressScanCoins = table('address_scan_coins', ['txid', 'vout'], {
  scanId: text(),
  accountId: text(),
  txid: text<Txid>(),
  vout: integer,
  amountSats: sats,
  height: integer,
  blockHash: text<BlockHash>(),
  coinbase: flag,
  spentBy: orNull(text<Txid>()),
  spentHeight: orNull(integer),
  spentBlockHash: orNull(text<BlockHash>()),
});

/** Scans of the chain for one address, and the outputs that they found. */
export interface AddressScanTables {
  address_scans: RowOf<typeof addressScans>;
  address_scan_coins: RowOf<typeof addressScanCoins>;
}
