/** Reads an account's rules, for everything that evaluates them. */
import type { AccountId } from '../../core/ids.ts';
import { createLru } from '../../core/lru.ts';
import { type AccountRules, NO_RULES } from '../../core/policies/account-rules.ts';
import type { EnterpriseConfigRecord } from '../../store/repositories/enterprise-config.ts';
import type { GroupRecord } from '../../store/repositories/groups.ts';
import type { Repositories } from '../../store/store.ts';

type Read = Pick<Repositories, 'enterpriseConfig' | 'policies' | 'groups' | 'screeningLists'>;
export type RulesOf = (read: Read, accountId: AccountId) => Promise<AccountRules>;

const MOST_ACCOUNTS = 200;

/**
 * Caches the rules by the version that every change of rules, groups or config raises. The version is read each time, so changes of other
 * processes apply at once; accounts without rules cost only that indexed read. Not for a job that has changed rules itself and may be
 * rolled back (`readRules`).
 */
export function createRulesOf(): RulesOf {
  const kept = createLru<string, AccountRules>(MOST_ACCOUNTS);
  return async (read, accountId) => {
    const record = await read.enterpriseConfig.find(accountId);
    if (record === null) return NO_RULES;
    const known = kept.get(accountId);
    if (known?.config.version === record.version) return known;
    // The rules are read after the version, so they are as new or newer; the next call compares again.
    return kept.set(accountId, await withConfig(read, record));
  };
}

/** The same, without the cache. */
export async function readRules(read: Read, accountId: AccountId): Promise<AccountRules> {
  const record = await read.enterpriseConfig.find(accountId);
  return record === null ? NO_RULES : await withConfig(read, record);
}

async function withConfig(read: Read, record: EnterpriseConfigRecord): Promise<AccountRules> {
  const { accountId, updatedAt: _, treasuries, ...config } = record;
  const policies = await read.policies.list(accountId);
  const lists = new Map((await read.screeningLists.all(accountId)).map(({ listId, name }) => [listId, { name }]));
  return { policies, lists, groupsOf: groupsByMember(await read.groups.all(accountId)), config, treasuries };
}

function groupsByMember(groups: readonly GroupRecord[]): AccountRules['groupsOf'] {
  const byMember = new Map<string, string[]>();
  for (const { groupId, userIds, apiKeyIds, oauthClientIds } of groups) {
    for (const member of [...userIds, ...apiKeyIds, ...oauthClientIds]) {
      const before = byMember.get(member);
      if (before === undefined) byMember.set(member, [groupId]);
      else before.push(groupId);
    }
  }
  return ({ userId, credentialId }) => {
    const ids = [...(userId === null ? [] : (byMember.get(userId) ?? [])), ...(byMember.get(credentialId) ?? [])];
    return [...new Set(ids)];
  };
}
