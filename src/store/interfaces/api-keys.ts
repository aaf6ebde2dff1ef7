import type { Role } from '../../core/access.ts';
import type { ApiKeyRecord, Page, PageRequest } from '../records.ts';

export interface ApiKeyRepository {
  insert(key: ApiKeyRecord): Promise<void>;
  /** By the 8 public characters, whatever the account: this is how a caller's account becomes known. */
  findByPrefix(prefix: string): Promise<ApiKeyRecord | null>;
  find(accountId: string, keyId: string): Promise<ApiKeyRecord | null>;
  /** All of them, newest first. */
  list(accountId: string): Promise<ApiKeyRecord[]>;
  /** Newest first. `active` goes by the time given with it: neither revoked nor over then. */
  page(
    accountId: string,
    filter: { name?: string; role?: Role; active?: { is: boolean; at: number } },
    page: PageRequest,
  ): Promise<Page<ApiKeyRecord>>;
  /** Every process forgets the key. False where it is not the account's or is revoked already. */
  revoke(accountId: string, keyId: string, at: number): Promise<boolean>;
  /** Names a key's successor and when the key itself ends. False where it has one already, is revoked, or is not the account's. */
  succeed(accountId: string, keyId: string, successor: { keyId: string; overlapEndsAt: number }): Promise<boolean>;
  touch(accountId: string, keyId: string, at: number): Promise<void>;
}
