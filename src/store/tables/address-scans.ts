import type { BlockHash, Txid } from '../../core/outpoint.ts';
import type { AddressCoin, AddressScanRecord, AddressScanState } from '../interfaces/address-scans.ts';
import { flag, integer, named, orNull, type RowOf, sats, table, text, time } from './columns.ts';

export const addressScans = table<AddressScanRecord>()('address_scans', ['scanId'], {
  scanId: text(),
  accountId: text(),
  address: text(),
  scriptPubKey: named('script_pubkey', text()),
  state: text<AddressScanState>(),
  fromHeight: integer,
  atHeight: orNull(integer),
  atHash: orNull(text<BlockHash>()),
  toHeight: orNull(integer),
  error: orNull(text()),
  restarts: integer,
  createdAt: time,
  finishedAt: orNull(time),
});

interface AddressScanCoin extends AddressCoin {
  scanId: string;
  accountId: string;
  spentBy: Txid | null;
  spentHeight: number | null;
  spentBlockHash: BlockHash | null;
}
export const addressScanCoins = table<AddressScanCoin>()('address_scan_coins', ['txid', 'vout'], {
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
