/** What holders of a DAO's tokens delegate, and did at snapshots. */
import { sql } from 'kysely';
import type { AccountId, Id } from '../../core/ids.ts';
import { integer, orNull, type RecordOf, type RowOf, selected, table, text, time, whole } from '../queries/columns.ts';
import type { PageRequest } from '../queries/page-of-rows.ts';
import { prepared } from '../queries/prepared.ts';
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
  /** The amount in whole tokens. */
  power: whole,
  /** The change of the DAO that made it. */
  fromSeq: integer,
  /** The change that ended it; null: it stands. */
  untilSeq: orNull(integer),
  createdAt: time,
});
export type DelegationRecord = RecordOf<typeof delegationsTable>;

declare module '../schema.ts' {
  interface Schema {
    governance_delegations: RowOf<typeof delegationsTable>;
  }
}

const delegations = rowsOf(delegationsTable);
/** Ended since then: the others that stood then stand. */
const endedSince = prepared((db, p: { accountId: AccountId; holderId: string; seq: bigint }) =>
  delegations
    .select(db)
    .where('account_id', '=', p.accountId)
    .where('holder_id', '=', p.holderId)
    .where('until_seq', 'is not', null)
    .where('until_seq', '>', p.seq)
    .where('from_seq', '<=', p.seq),
);

const countsIn = prepared((db, p: { accountId: AccountId; seq: bigint }) =>
  db
    .selectFrom('governance_proposals')
    .select('proposal_id')
    .where('account_id', '=', p.accountId)
    .where(sql<boolean>`status = 'active'`)
    .where('snapshot_seq', '>=', p.seq)
    .limit(1n),
);

export function delegationRepository(session: Session) {
  const standingOf = (accountId: AccountId, holderId: string) =>
    delegations.all(session, { accountId, holderId, untilSeq: null });
  return {
    insert: async (delegation: DelegationRecord) => {
      await delegations.insert(session, [delegation]);
    },
    /** One that stands. */
    find: (accountId: AccountId, delegationId: Id<'dlg'>) =>
      delegations.find(session, { accountId, delegationId, untilSeq: null }),
    /** Standing ones that this holder gave. */
    countGiven: (accountId: AccountId, holderId: string) =>
      delegations.count(session, { accountId, holderId, untilSeq: null }),
    /** Kept as long as votes on an active proposal may draw on it; the changes of holders and snapshots say that it was. */
    end: async ({ accountId, delegationId, fromSeq }: DelegationRecord, untilSeq: number) => {
      const counts = await countsIn.first(session, { accountId, seq: BigInt(fromSeq) });
      if (counts === null) await delegations.delete(session, { accountId, delegationId });
      else await delegations.update(session, { accountId, delegationId }, { untilSeq });
    },
    /** Given by a holder, as they stood after that change: the oldest first. */
    async givenAt(accountId: AccountId, holderId: string, seq: number): Promise<DelegationRecord[]> {
      const ended = await endedSince.all(session, { accountId, holderId, seq: BigInt(seq) });
      const standing = (await standingOf(accountId, holderId)).filter(({ fromSeq }) => fromSeq <= seq);
      return [...ended.map(delegations.record), ...standing].sort((one, other) => one.fromSeq - other.fromSeq);
    },
    /** Standing ones, newest first. */
    list: (of: { accountId: AccountId } & ({ holderId: string } | { delegateId: string }), page: PageRequest) =>
      delegations.page(session, { name: 'delegations', where: { ...of, untilSeq: null } }, page),
  };
}
