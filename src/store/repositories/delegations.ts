/** What holders of a DAO's tokens delegate. */
import type { AccountId, Id } from '../../core/ids.ts';
import { integer, type RecordOf, type RowOf, selected, table, text, time } from '../queries/columns.ts';
import type { PageRequest } from '../queries/page-of-rows.ts';
import { rowsOf } from '../queries/rows-of.ts';
import type { Session } from '../queries/session.ts';
import { units } from './governance.ts';

const addressOf = (column: string) =>
  selected(
    `(select h.address from governance_holders h where h.account_id = governance_delegations.account_id
      and h.holder_id = governance_delegations.${column})`,
    text(),
  );

const delegationsTable = table('governance_delegations', ['delegationId'], {
  accountId: text<AccountId>(),
  delegationId: text<Id<'dlg'>>(),
  holderId: text(),
  holderAddress: addressOf('holder_id'),
  delegateId: text(),
  delegateAddress: addressOf('delegate_id'),
  amount: units,
  /** The change of the DAO that made it. */
  fromSeq: integer,
  createdAt: time,
});
export type DelegationRecord = RecordOf<typeof delegationsTable>;

declare module '../schema.ts' {
  interface Schema {
    governance_delegations: RowOf<typeof delegationsTable>;
  }
}

const delegations = rowsOf(delegationsTable);

export function delegationRepository(session: Session) {
  return {
    insert: async (delegation: DelegationRecord) => {
      await delegations.insert(session, [delegation]);
    },
    find: (accountId: AccountId, delegationId: Id<'dlg'>) => delegations.find(session, { accountId, delegationId }),
    /** That this holder gave. */
    countGiven: (accountId: AccountId, holderId: string) => delegations.count(session, { accountId, holderId }),
    end: async ({ accountId, delegationId }: DelegationRecord) => {
      await delegations.delete(session, { accountId, delegationId });
    },
    /** Newest first. */
    list: (of: { accountId: AccountId } & ({ holderId: string } | { delegateId: string }), page: PageRequest) =>
      delegations.page(session, { name: 'delegations', where: of }, page),
  };
}
