/** Accounts are the tenants: every record belongs to exactly one. */
import type { Rights, Tier } from '../../core/access.ts';
import { DomainError } from '../../core/errors.ts';
import { type AccountId, newId } from '../../core/ids.ts';
import type { AccountRecord } from '../../store/records.ts';
import type { Repositories, Store } from '../../store/store.ts';
import { type RecordChange, recordsNothing } from '../audit/record-change.ts';
import { draftApiKey, type IssueDeps, type IssuedApiKey } from './issue-api-key.ts';

export interface NewAccount {
  name: string;
  /** The highest that its credentials may have. */
  tier: Tier;
  /** For its first key; a fresh pair is made where it is missing. */
  publicKey?: unknown;
  /** The credential that makes it; null for the command line. */
  createdBy: string | null;
  /** What its first key has; all that the tier lets, unless said. */
  rights?: Rights;
}

export interface OpenedAccount {
  readonly account: AccountRecord;
  /** Its first key, an administrator's: with it the tenant makes others. */
  readonly key: IssuedApiKey;
}

export interface AccountDeps extends IssueDeps {
  store: Store;
  clock: () => number;
  /** For the command line: in the job of each change. Absent: nothing is recorded. */
  recordChange?: RecordChange;
}

/** Of the key that an account begins with: it can give all else. */
export const FIRST_RIGHTS = { role: 'admin', scopes: ['*'], mayGrant: true } as const;

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

/** Makes account and first key; the answer stores them, in the job it is given, and throws `already_exists` there. */
export function draftAccount(deps: IssueDeps, { name, tier, publicKey, createdBy, rights }: NewAccount, at: number) {
  const account = { ...newAccount(name, deps.randomBytes, at), tier };
  const first = { accountId: account.accountId, name: 'first key', ...FIRST_RIGHTS, tier };
  const draft = draftApiKey(deps, { ...first, ...rights, createdBy }, publicKey, at);
  return async (tx: Repositories): Promise<OpenedAccount> => {
    await insertOrRefuse(tx, account);
    return { account, key: await draft.store(tx) };
  };
}

/** What every change of an account asks first. Throws `not_found`, and `state_conflict` for the account that runs the service. */
export async function accountToFreeze(
  tx: Pick<Repositories, 'accounts' | 'enterpriseConfig'>,
  accountId: AccountId,
): Promise<AccountRecord> {
  // After what was approved and is being committed: once it is answered that it is frozen, nothing more is.
  await tx.enterpriseConfig.lock(accountId);
  const account = await tx.accounts.find(accountId);
  if (account === null) throw new DomainError('not_found', 'there is no such account', { field: 'account_id' });
  if (account.platform) {
    throw new DomainError(
      'state_conflict',
      'the account that runs the service cannot be frozen: nobody could undo it',
      {
        field: 'account_id',
      },
    );
  }
  return account;
}

async function insertOrRefuse(tx: Pick<Repositories, 'accounts'>, account: AccountRecord): Promise<void> {
  if (await tx.accounts.insertUnderNewName(account)) return;
  throw new DomainError('already_exists', `there is an account named ${account.name} already`, { field: 'name' });
}

/** Accounts past any question of who may: for the first start, the command line, and tests. */
export function createAccounts(deps: AccountDeps) {
  const { store, randomBytes, clock, recordChange = recordsNothing } = deps;

  function refuseName(name: string): void {
    if (/^\S(.{0,98}\S)?$/.test(name)) return;
    throw new DomainError('invalid_value', 'an account name has 1 to 100 characters, no blank at its ends', {
      field: 'name',
    });
  }
  const record = (tx: Repositories, operation: string, accountId: AccountId) =>
    recordChange(tx, { operation, accountId, target: accountId });

  const change = (accountId: AccountId, operation: string, apply: (tx: Repositories) => Promise<unknown>) =>
    store.write(async (tx) => {
      await accountToFreeze(tx, accountId);
      await apply(tx);
      await record(tx, operation, accountId);
      return (await tx.accounts.find(accountId)) as AccountRecord;
    });

  return {
    /** Without a key. Throws `already_exists` where the name is taken. */
    async create(name: string) {
      refuseName(name);
      const account = newAccount(name, randomBytes, clock());
      await store.write(async (tx) => {
        await insertOrRefuse(tx, account);
        await record(tx, 'account.create', account.accountId);
      });
      return account;
    },
    /** With its first key. Throws `already_exists`. */
    async open(account: NewAccount) {
      refuseName(account.name);
      const commit = draftAccount(deps, account, clock());
      return store.write(async (tx) => {
        const opened = await commit(tx);
        await record(tx, 'account.create', opened.account.accountId);
        return opened;
      });
    },
    /** By id or by name. Throws `not_found`. */
    async find(idOrName: string) {
      const account =
        (await store.read.accounts.find(idOrName as AccountId)) ?? (await store.read.accounts.findByName(idOrName));
      if (account === null) throw new DomainError('not_found', `there is no account ${idOrName}`);
      return account;
    },
    list: () => store.read.accounts.list(),
    /** At once in every process: it can be read but not changed. One that is frozen stays as it is. Throws as `changeAccount` does. */
    freeze: (accountId: AccountId, reason: string | null) =>
      change(accountId, 'account.freeze', (tx) => tx.accounts.freeze(accountId, clock(), reason)),
    unfreeze: (accountId: AccountId) => change(accountId, 'account.unfreeze', (tx) => tx.accounts.unfreeze(accountId)),
  };
}
