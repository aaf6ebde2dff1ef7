/** Accounts as a request makes, shows and freezes them: administrators of the platform any, everyone their own to look at. */
import { type Rights, scopeAllows, type Tier } from '../../core/access.ts';
import { DomainError } from '../../core/errors.ts';
import type { AccountId } from '../../core/ids.ts';
import type { AccountRecord, PageRequest } from '../../store/records.ts';
import type { Repositories } from '../../store/store.ts';
import { recordRequest } from '../requests/record-request.ts';
import type { Credential, RequestContext } from '../requests/request-context.ts';
import { type AccountDeps, accountToFreeze, draftAccount, FIRST_RIGHTS } from './accounts.ts';
import { grantedRights } from './grants.ts';

export type AccountView = AccountRecord;

/** An administrator's of the new account, bounded as its maker is. Throws `forbidden`: at `tier`, or where it cannot be given at all. */
function rightsOfFirstKey(tier: Tier, by: Credential): Rights {
  if (!by.mayGrant && !scopeAllows(by.scopes, '*')) {
    throw new DomainError('forbidden', 'the first key of an account has the scope *: only * or may_grant makes one');
  }
  const asked = { ...FIRST_RIGHTS, mayGrant: by.mayGrant, tier };
  return grantedRights(asked, { tier }, by, 'required');
}

export function createAccountManagement(deps: AccountDeps) {
  const { store, clock } = deps;

  const change = (
    accountId: AccountId,
    context: RequestContext,
    apply: (tx: Repositories) => Promise<unknown>,
  ): Promise<AccountRecord> =>
    store.write(async (tx) => {
      await accountToFreeze(tx, accountId);
      await apply(tx);
      const result = (await tx.accounts.find(accountId)) as AccountRecord;
      await recordRequest(tx, context, { result, target: accountId });
      return result;
    });

  return {
    async create(request: { name: string; tier: Tier; publicKey?: unknown }, context: RequestContext) {
      const { credential } = context;
      const rights = rightsOfFirstKey(request.tier, credential);
      const commit = draftAccount(deps, { ...request, rights, createdBy: credential.id }, clock());
      return store.write(async (tx) => {
        const result = await commit(tx);
        await recordRequest(tx, context, { result, target: result.account.accountId });
        return result;
      });
    },
    page: (filter: { name?: string; frozen?: boolean }, page: PageRequest) => store.read.accounts.page(filter, page),
    /** Throws `not_found` for another account where the caller is no administrator of the platform. */
    async get(accountId: AccountId, context: RequestContext) {
      const mayLook = accountId === context.accountId || (context.platform && context.credential.role === 'admin');
      const account = mayLook ? await store.read.accounts.find(accountId) : null;
      if (account === null) throw new DomainError('not_found', 'there is no such account', { field: 'account_id' });
      return account;
    },
    freeze: (accountId: AccountId, reason: string | null, context: RequestContext) =>
      change(accountId, context, (tx) => tx.accounts.freeze(accountId, clock(), reason)),
    unfreeze: (accountId: AccountId, context: RequestContext) =>
      change(accountId, context, (tx) => tx.accounts.unfreeze(accountId)),
  };
}

export type AccountManagement = ReturnType<typeof createAccountManagement>;
