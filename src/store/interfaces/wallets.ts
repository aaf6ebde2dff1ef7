import type { Page, PageRequest, WalletRecord } from '../records.ts';

export interface WalletRepository {
  insert(wallet: WalletRecord): Promise<void>;
  find(accountId: string, walletId: string): Promise<WalletRecord | null>;
  findByIds(accountId: string, walletIds: readonly string[]): Promise<WalletRecord[]>;
  list(
    accountId: string,
    filter: { type?: string; name?: string; externalId?: string; archived?: boolean },
    page: PageRequest,
  ): Promise<Page<WalletRecord>>;
  /** The account's default wallet, or its only unarchived one; null where neither. */
  findDefault(accountId: string): Promise<WalletRecord | null>;
  update(
    accountId: string,
    walletId: string,
    patch: Partial<Pick<WalletRecord, 'name' | 'externalId' | 'archivedAt' | 'isDefault' | 'birthdayHeight'>>,
  ): Promise<WalletRecord | null>;
  setScan(accountId: string, walletId: string, scan: WalletRecord['scan']): Promise<void>;
  /**
   * Takes the next index of the external (0) or internal (1) branch, atomically.
   */
  takeIndex(accountId: string, walletId: string, change: boolean): Promise<number>;
  /** Raises the next index to at least `next` (a restore or a deposit found an address used further on). */
  raiseNextIndex(accountId: string, walletId: string, change: boolean, next: number): Promise<void>;
}
