/** Votes on proposals, and what voters take back from those they delegated to. */
import { sql } from 'kysely';
import type { VoteProof } from '../../core/governance/export-file.ts';
import type { Side } from '../../core/governance/tally.ts';
import type { AccountId, ProposalId } from '../../core/ids.ts';
import {
  integer,
  json,
  orNull,
  type RecordOf,
  type RowOf,
  selected,
  table,
  text,
  time,
  whole,
} from '../queries/columns.ts';
import { amongTexts, textList } from '../queries/json-lists.ts';
import type { PageRequest } from '../queries/page-of-rows.ts';
import { prepared } from '../queries/prepared.ts';
import { rowsOf } from '../queries/rows-of.ts';
import type { Session } from '../queries/session.ts';

const votesTable = table('governance_votes', ['proposalId', 'holderId'], {
  accountId: text<AccountId>(),
  proposalId: text<ProposalId>(),
  holderId: text(),
  /** Null of one that has had no tokens and registered no address. */
  holderAddress: selected(
    `(select h.address from governance_holders h where h.account_id = governance_votes.account_id
      and h.holder_id = governance_votes.holder_id)`,
    orNull(text()),
  ),
  vote: text<Side>(),
  /** As it was cast, and where it comes from (core/governance/tally.ts). */
  power: whole,
  own: whole,
  takenBack: whole,
  received: whole,
  powerIn: whole,
  taken: selected(
    `coalesce((select t.taken from governance_taken t where t.account_id = governance_votes.account_id
      and t.proposal_id = governance_votes.proposal_id and t.delegate_id = governance_votes.holder_id), 0)`,
    whole,
  ),
  /** Rises with each vote of the holder on the proposal, from 1 on. */
  revision: integer,
  proof: json<VoteProof>(),
  /** Of the holder's last signed request, also where a vote by another proof followed; Unix seconds, 0: none. */
  signedAt: integer,
  /** When it was cast. */
  createdAt: time,
});
export type VoteRecord = RecordOf<typeof votesTable>;

const takenTable = table('governance_taken', ['delegateId'], {
  accountId: text<AccountId>(),
  proposalId: text<ProposalId>(),
  delegateId: text(),
  /** Of what was delegated to it, by votes of those who did. */
  taken: whole,
});
type TakenRecord = RecordOf<typeof takenTable>;

declare module '../schema.ts' {
  interface Schema {
    governance_votes: RowOf<typeof votesTable>;
    governance_taken: RowOf<typeof takenTable>;
  }
}

const votes = rowsOf(votesTable);
const taken = rowsOf(
  takenTable,
  'on conflict (account_id, proposal_id, delegate_id) do update set taken = excluded.taken',
);
/** What they count by. */
const counting = rowsOf(votesTable, '', undefined, ['proof']);

type OfProposal = Pick<VoteRecord, 'accountId' | 'proposalId'>;
type Listed = OfProposal & { list: string };
const takenAmong = prepared((db, p: Listed, kind) =>
  taken
    .select(db)
    .where('account_id', '=', p.accountId)
    .where('proposal_id', '=', p.proposalId)
    .where(amongTexts(kind, 'delegate_id', p.list)),
);
const votesAmong = prepared((db, p: Listed, kind) =>
  counting
    .select(db)
    .where('account_id', '=', p.accountId)
    .where('proposal_id', '=', p.proposalId)
    .where(amongTexts(kind, 'holder_id', p.list)),
);
/** From the active proposals, of which there are few, to the votes on them, of which a holder has one each: SQLite keeps that order. */
const castAmong = prepared((db, p: { accountId: AccountId; list: string }, kind) => ({
  compile: () =>
    sql<{ holder_id: string; most: bigint }>`select vote.holder_id, max(vote.own + vote.taken_back) as most
      from governance_proposals as proposal cross join governance_votes as vote
      where proposal.account_id = ${p.accountId} and proposal.status = 'active'
        and vote.account_id = ${p.accountId} and vote.proposal_id = proposal.proposal_id
        and ${amongTexts(kind, 'vote.holder_id', p.list)}
      group by vote.holder_id`.compile(db),
}));

const listOf = ({ accountId, proposalId }: OfProposal, ids: Iterable<string>): Listed => ({
  ...{ accountId, proposalId, list: textList([...ids]) },
});

/** Those that change anything: in a job that has the DAO's row. */
export function voteRepository(session: Session) {
  return {
    find: (accountId: AccountId, { proposalId, holderId }: Pick<VoteRecord, 'proposalId' | 'holderId'>) =>
      votes.find(session, { accountId, proposalId, holderId }),
    /** In the place of the holder's vote before. */
    put: async (vote: VoteRecord) => {
      const { accountId, proposalId, holderId } = vote;
      if ((await votes.update(session, { accountId, proposalId, holderId }, vote)) === 0n)
        await votes.insert(session, [vote]);
    },
    /** Of these holders. */
    among: async (of: OfProposal, holderIds: Iterable<string>) =>
      (await votesAmong.all(session, listOf(of, holderIds))).map(counting.record),
    /** Newest first: of a holder, or on a proposal, of which it is known how many there are. */
    page: (
      of: { accountId: AccountId } & ({ holderId: string } | { proposalId: ProposalId }),
      page: PageRequest,
      total?: number,
    ) => votes.page(session, { name: 'governance-votes', where: of, total, atOnce: 10 }, page),
    /** From these delegates, as far as there is any. */
    taken: async (of: OfProposal, delegateIds: Iterable<string>): Promise<Map<string, bigint>> => {
      const found = (await takenAmong.all(session, listOf(of, delegateIds))).map(taken.record);
      return new Map(found.map((one) => [one.delegateId, one.taken]));
    },
    putTaken: async (records: readonly TakenRecord[]) => {
      if (records.length > 0) await taken.insert(session, records);
    },
    /** The most that each of these holders has cast of its own on an active proposal. */
    cast: async (accountId: AccountId, holderIds: readonly string[]): Promise<Map<string, bigint>> => {
      const found = await castAmong.all(session, { accountId, list: textList(holderIds) });
      return new Map(found.map((row) => [row.holder_id, BigInt(row.most)]));
    },
  };
}
