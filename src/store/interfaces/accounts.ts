import type { AccountRecord, Page, PageRequest } from '../records.ts';

export interface AccountRepository {
  insert(account: AccountRecord): Promise<void>;
  /** False where an account has the name already, whichever process made it and however many are made at once. */
  insertUnderNewName(account: AccountRecord): Promise<boolean>;
  find(accountId: string): Promise<AccountRecord | null>;
  /** The oldest where several have the name. */
  findByName(name: string): Promise<AccountRecord | null>;
  list(): Promise<AccountRecord[]>;
  /** Newest first. */
  page(filter: { name?: string; frozen?: boolean }, page: PageRequest): Promise<Page<AccountRecord>>;
  count(): Promise<number>;
  /** Every process forgets the account's credentials. False where there is no such account, or it is frozen already. */
  freeze(accountId: string, at: number, reason: string | null): Promise<boolean>;
  /** The same; false where it is not frozen. */
  unfreeze(accountId: string): Promise<boolean>;
}
