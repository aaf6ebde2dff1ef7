/** Groups: created, shown, changed and deleted by requests. */
import { DomainError } from '../../core/errors.ts';
import { type AccountId, newId } from '../../core/ids.ts';
import type { AccountRules } from '../../core/policies/account-rules.ts';
import type { PageRequest } from '../../store/records.ts';
import type { GroupRecord } from '../../store/repositories/groups.ts';
import type { Repositories } from '../../store/store.ts';
import type { RequestContext } from '../requests/request-context.ts';
import { createChangeRules, type RulesDeps } from './change-rules.ts';
import { assertThere, namedIn } from './references.ts';

export const MAX_GROUPS = 100;
export const MAX_MEMBERS = 1_000;
/** Of all groups of an account together: each evaluation after a change reads them. */
const MAX_IN_ALL = 20_000;

type Members = Pick<GroupRecord, 'userIds' | 'apiKeyIds' | 'oauthClientIds'>;
export type NewGroup = Pick<GroupRecord, 'name'> & Members;
export type GroupPatch = { readonly [K in keyof NewGroup]?: NewGroup[K] | undefined };

export function createGroupManagement(deps: RulesDeps) {
  const { store, randomBytes } = deps;
  const changeRules = createChangeRules(deps);

  return {
    get: (groupId: string, { accountId }: RequestContext): Promise<GroupRecord> =>
      found(store.read, accountId, groupId),

    /** Newest first. */
    page: (filter: { name?: string }, page: PageRequest, { accountId }: RequestContext) =>
      store.read.groups.page(accountId, filter, page),

    create: (given: NewGroup, context: RequestContext): Promise<GroupRecord> =>
      changeRules(context, {
        apply: async (tx, _, { at }) => {
          const { accountId } = context;
          const groups = await tx.groups.all(accountId);
          if (groups.length >= MAX_GROUPS)
            throw new DomainError('policy_refused', `an account has at most ${MAX_GROUPS} groups: delete one first`);
          assertFew(given, groups);
          await assertMembers(tx, accountId, given);
          const groupId = newId('grp', randomBytes);
          const group = { ...given, groupId, accountId, createdAt: at, updatedAt: at };
          await tx.groups.insert(group);
          return { result: group, target: groupId, old: null };
        },
      }),

    /** Absent members of the patch stay unchanged; lists are replaced as a whole. */
    update: (groupId: string, patch: GroupPatch, context: RequestContext): Promise<GroupRecord> =>
      changeRules(context, {
        concerns: ({ groups }) => groups?.includes(groupId) ?? false,
        apply: async (tx, _, { at }) => {
          const old = await found(tx, context.accountId, groupId);
          const given = Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined));
          const group: GroupRecord = { ...old, ...given, updatedAt: at };
          const groups = await tx.groups.all(context.accountId);
          if (membersOf(group) > membersOf(old))
            assertFew(
              group,
              groups.filter((one) => one.groupId !== groupId),
            );
          await assertMembers(tx, context.accountId, patch);
          await tx.groups.update(context.accountId, groupId, group);
          return { result: group, target: groupId, old };
        },
      }),

    delete: (groupId: string, context: RequestContext): Promise<null> =>
      changeRules(context, {
        apply: async (tx, before) => {
          const old = await found(tx, context.accountId, groupId);
          const user = userOf(before, groupId);
          if (user !== null) {
            const how = 'a condition without names would never match: remove the group from it first';
            throw new DomainError('state_conflict', `${user} names this group, and ${how}`, { field: 'group_id' });
          }
          await tx.groups.delete(context.accountId, groupId);
          return { result: null, target: groupId, old };
        },
      }),
  };
}
export type GroupManagement = ReturnType<typeof createGroupManagement>;

async function found(read: Repositories, accountId: AccountId, groupId: string): Promise<GroupRecord> {
  const group = await read.groups.find(accountId, groupId);
  if (group === null) throw new DomainError('not_found', 'there is no such group', { field: 'group_id' });
  return group;
}

const membersOf = ({ userIds, apiKeyIds, oauthClientIds }: Members): number =>
  userIds.length + apiKeyIds.length + oauthClientIds.length;

function assertFew(group: Members, others: readonly Members[]): void {
  const members = membersOf(group);
  if (members > MAX_MEMBERS)
    throw new DomainError('policy_refused', `a group has at most ${MAX_MEMBERS} members, not ${members}`);
  const all = others.reduce((sum, one) => sum + membersOf(one), members);
  if (all <= MAX_IN_ALL) return;
  throw new DomainError(
    'policy_refused',
    `the groups of an account have at most ${MAX_IN_ALL} members together, and these would have ${all}`,
  );
}

/** Existing members may have been deleted since: only those that are `given` must exist. */
async function assertMembers(tx: Repositories, accountId: AccountId, given: GroupPatch): Promise<void> {
  await assertThere(tx, accountId, [
    ...namedIn('user', 'user_ids', given.userIds),
    ...namedIn('API key', 'api_key_ids', given.apiKeyIds),
    ...namedIn('OAuth client', 'oauth_client_ids', given.oauthClientIds),
  ]);
}

/** The rule that names a group, in words; null if none does. */
function userOf({ policies, config }: AccountRules, groupId: string): string | null {
  const rule = policies.find(
    ({ when, then }) =>
      when.initiators?.groups?.includes(groupId) || (then.action === 'approve' && then.from.groups?.includes(groupId)),
  );
  if (rule !== undefined) return `rule "${rule.name}" (${rule.policyId})`;
  return config.policyChange?.from.groups?.includes(groupId) ? 'policy_change of the enterprise config' : null;
}
