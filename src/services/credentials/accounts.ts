/** Accounts are the tenants: every record belongs to exactly one. */
import { DomainError } from '../../core/errors.ts';
import { newId } from '../../core/ids.ts';
import type { AccountRecord } from '../../store/records.ts';
import type { Store } from '../../store/store.ts';

export interface AccountService {
  /** Throws `already_exists` where the name is taken. */
  create(name: string): Promise<AccountRecord>;
  /** By id or by name. Throws `not_found`. */
  find(idOrName: string): Promise<AccountRecord>;
  list(): Promise<AccountRecord[]>;
}

export function newAccount(name: string, randomBytes: (size: number) => Uint8Array, at: number): AccountRecord {
  return {
    accountId: newId('acc', randomBytes),
    name,
    platform: false,
    tier: 'standard',
    createdAt: at,
    frozenAt: null,
    frozenReason: null,
  };
}

export function createAccounts(deps: {
  store: Store;
  randomBytes: (size: number) => Uint8Array;
  clock: () => number;
}): AccountService {
  const { store, randomBytes, clock } = deps;
  return {
    async create(name) {
      if (!/^\S(.{0,98}\S)?$/.test(name)) {
        throw new DomainError('invalid_value', 'an account name has 1 to 100 characters, no blank at its ends', {
          field: 'name',
        });
      }
      const account = newAccount(name, randomBytes, clock());
      await store.write(async (tx) => {
        if ((await tx.accounts.findByName(name)) !== null) {
          throw new DomainError('already_exists', `there is an account named ${name} already`, { field: 'name' });
        }
        await tx.accounts.insert(account);
      });
      return account;
    },
    async find(idOrName) {
      const account = (await store.read.accounts.find(idOrName)) ?? (await store.read.accounts.findByName(idOrName));
      if (account === null) throw new DomainError('not_found', `there is no account ${idOrName}`);
      return account;
    },
    list: () => store.read.accounts.list(),
  };
}
