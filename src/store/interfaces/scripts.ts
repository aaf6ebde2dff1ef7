import type { Page, PageRequest, ScriptRecord } from '../records.ts';

export interface ScriptRepository {
  /** Inserts rows, leaving those that are there (same wallet and script) as they stand. */
  insertMissing(scripts: readonly ScriptRecord[]): Promise<void>;
  /** Of all wallets of the account: kept, not counted. A job that has inserted some sees what every other will have. */
  count(accountId: string): Promise<number>;
  find(accountId: string, walletId: string, change: boolean, index: number): Promise<ScriptRecord | null>;
  findByAddress(accountId: string, walletId: string, address: string): Promise<ScriptRecord | null>;
  /** Highest derived index of a branch, -1 where none. */
  highestIndex(accountId: string, walletId: string, change: boolean): Promise<number>;
  /** Highest used index of a branch, -1 where none. */
  highestUsedIndex(accountId: string, walletId: string, change: boolean): Promise<number>;
  list(
    accountId: string,
    walletId: string,
    filter: { change?: boolean; used?: boolean; reservedOnly?: boolean; label?: string },
    page: PageRequest,
  ): Promise<Page<ScriptRecord>>;
  /** Every script of one wallet, for scans. */
  all(accountId: string, walletId: string): Promise<ScriptRecord[]>;
  reserve(
    accountId: string,
    walletId: string,
    change: boolean,
    index: number,
    at: number,
    label: string | null,
  ): Promise<void>;
  /** Of those that are derived, both ends included; one reserved before keeps its time. */
  reserveRange(
    accountId: string,
    walletId: string,
    change: boolean,
    range: { from: number; to: number },
    at: number,
  ): Promise<void>;
  setLabel(accountId: string, walletId: string, scriptPubKey: string, label: string | null): Promise<void>;
}
