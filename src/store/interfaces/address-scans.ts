import type { BlockHash, Outpoint, Txid } from '../../core/outpoint.ts';
import type { Page, PageRequest } from '../records.ts';

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

type ScanKey = Pick<AddressScanRecord, 'accountId' | 'scanId'>;

export interface AddressScanRepository {
  insert(scan: AddressScanRecord): Promise<void>;
  find(accountId: string, scanId: string): Promise<AddressScanRecord | null>;
  /** Newest first. */
  page(
    accountId: string,
    filter: { scriptPubKey?: string; state?: AddressScanState },
    page: PageRequest,
  ): Promise<Page<AddressScanRecord>>;
  /** The one finished last. */
  latestDone(accountId: string, scriptPubKey: string): Promise<AddressScanRecord | null>;
  /** Queued and running ones. */
  countOpen(accountId: string): Promise<number>;
  /** Finished ones (done or failed) but for the newest `kept`: their ids, oldest last, so many at the most. */
  finishedBeyond(accountId: string, kept: number, limit: number): Promise<string[]>;
  /** With what it found. False where it is not there. */
  remove(accountId: string, scanId: string): Promise<boolean>;
  /** False where it is not there any more. */
  update(
    scan: ScanKey,
    patch: Partial<
      Pick<AddressScanRecord, 'state' | 'atHeight' | 'atHash' | 'toHeight' | 'error' | 'restarts' | 'finishedAt'>
    >,
  ): Promise<boolean>;
  /** Leaves those that are there. */
  addCoins(scan: ScanKey, coins: readonly AddressCoin[]): Promise<void>;
  /** What is not the scan's is passed over. */
  spend(scan: ScanKey, spends: readonly AddressSpend[]): Promise<void>;
  /** Forgets what was found. */
  clear(scan: ScanKey): Promise<void>;
  totals(scan: ScanKey, height: number): Promise<AddressTotals>;
  /** Outputs found, spent or not. */
  countCoins(scan: ScanKey): Promise<number>;
  /** Newest first. */
  unspent(scan: ScanKey, page: PageRequest): Promise<Page<AddressCoin>>;
  /** Newest first. */
  entries(scan: ScanKey, page: PageRequest): Promise<Page<AddressEntry>>;
  /** Of all accounts: open ones, oldest first. */
  open(): Promise<AddressScanRecord[]>;
  /** Of all accounts: done ones whose last block is not the followed chain's any more. */
  stale(): Promise<AddressScanRecord[]>;
}

/** What a wallet knows of one of its addresses. */
export interface AddressHistoryRepository {
  /** The wallet of the account that watches the script; null where none does. */
  walletWatching(accountId: string, scriptPubKey: string): Promise<string | null>;
  totals(accountId: string, walletId: string, scriptPubKey: string, tipHeight: number): Promise<AddressTotals>;
  /** Live and unspent, newest first; height and block null while unconfirmed. */
  unspent(
    accountId: string,
    walletId: string,
    scriptPubKey: string,
    page: PageRequest,
  ): Promise<Page<Omit<AddressCoin, 'height' | 'blockHash'> & { height: number | null; blockHash: BlockHash | null }>>;
  /** Unconfirmed ones first, then newest first. */
  entries(accountId: string, walletId: string, scriptPubKey: string, page: PageRequest): Promise<Page<AddressEntry>>;
}
