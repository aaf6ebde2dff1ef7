import type { BlockHash, Outpoint, Txid } from '../../core/outpoint.ts';

export const ADDRESS_SCAN_STATES = ['queued', 'running', 'done', 'failed'] as const;
export type AddressScanState = (typeof ADDRESS_SCAN_STATES)[number];

export interface AddressScanRecord {
  scanId: string;
  accountId: string;
  address: string;
  /** hex */
  scriptPubKey: string;
  state: AddressScanState;
  fromHeight: number;
  /** The last block that was looked at, null before the first. When done, the results are as of it. */
  atHeight: number | null;
  atHash: BlockHash | null;
  toHeight: number | null;
  error: string | null;
  /** How often a block that had been looked at left the chain, so that the scan began anew. */
  restarts: number;
  createdAt: number;
  finishedAt: number | null;
}

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
