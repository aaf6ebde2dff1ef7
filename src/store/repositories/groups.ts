import type { AccountId } from '../../core/ids.ts';
import { json, type RecordOf, type RowOf, table, text, time } from '../queries/columns.ts';
import type { PageRequest } from '../queries/page-of-rows.ts';
import { rowsOf } from '../queries/rows-of.ts';
import type { Session } from '../queries/session.ts';

const groupsTable = table('policy_groups', ['groupId'], {
  groupId: text(),
  accountId: text<AccountId>(),
  name: text(),
  userIds: json<readonly string[]>(),
  apiKeyIds: json<readonly string[]>(),
  oauthClientIds: json<readonly string[]>(),
  createdAt: time,
  updatedAt: time,
});
/** People and credentials that rules name together. */
export type GroupRecord = RecordOf<typeof groupsTable>;

declare module '../schema.ts' {
  interface Schema {
    policy_groups: RowOf<typeof groupsTable>;
  }
}

const groups = rowsOf(groupsTable);

export function groupRepository(session: Session) {
  return {
    insert: async (group: GroupRecord) => {
      await groups.insert(session, [group]);
    },
    find: (accountId: AccountId, groupId: string) => groups.find(session, { accountId, groupId }),
    all: (accountId: AccountId) => groups.all(session, { accountId }, 'order by created_at, group_id'),
    /** Newest first. */
    page: (accountId: AccountId, { name }: { name?: string }, page: PageRequest) =>
      groups.page(session, { name: 'groups', where: { accountId, name } }, page),
    update: async (
      accountId: AccountId,
      groupId: string,
      patch: Partial<Omit<GroupRecord, 'groupId' | 'accountId'>>,
    ) => {
      await groups.update(session, { accountId, groupId }, patch);
    },
    delete: async (accountId: AccountId, groupId: string) => {
      await groups.delete(session, { accountId, groupId });
    },
  };
}
