/** Proposals of DAOs, and what their end depends on. */
import { sql } from 'kysely';
import type { Role } from '../../core/access.ts';
import type { Execution, ExecutionStatus } from '../../core/governance/execution.ts';
import type { Parameters } from '../../core/governance/parameters.ts';
import type { ProposalStatus } from '../../core/governance/proposal-outcome.ts';
import type { AccountId, ProposalId } from '../../core/ids.ts';
import {
  type Column,
  integer,
  json,
  orNull,
  type RecordOf,
  type RowOf,
  table,
  text,
  time,
} from '../queries/columns.ts';
import type { PageRequest } from '../queries/page-of-rows.ts';
import { prepared } from '../queries/prepared.ts';
import { rowsOf } from '../queries/rows-of.ts';
import type { DatabaseKind, Session } from '../queries/session.ts';
import type { DaoRecord } from './governance.ts';
import type { KeyOwner } from './signing-keys.ts';

/** Whole tokens. */
const power: Column<bigint, string> = { load: BigInt, store: String };

const proposalsTable = table('governance_proposals', ['proposalId'], {
  accountId: text<AccountId>(),
  proposalId: text<ProposalId>(),
  /** A holder's id. */
  proposerId: text(),
  /** The credential that asked, with its role then. */
  initiator: json<{
    readonly kind: KeyOwner['kind'];
    readonly id: string;
    readonly role: Role;
    readonly countsAs: string | null;
  }>(),
  title: text(),
  description: text(),
  type: text(),
  parameters: json<Readonly<Record<string, unknown>>>(),
  /** The DAO's parameters when it was made: they hold until it is executed. */
  settings: json<Parameters>(),
  /** What holders have up to this change of the DAO is what they vote with. */
  snapshotSeq: integer,
  totalPower: power,
  status: text<ProposalStatus>(),
  votesFor: power,
  votesAgainst: power,
  /** Holders with a vote that counts. */
  voters: integer,
  /** Holders that have ever voted. */
  ballots: integer,
  createdAt: time,
  expiresAt: time,
  endedAt: orNull(time),
  cancelledAt: orNull(time),
  cancelReason: orNull(text()),
  /** What was last seen of its execution: services/governance/settle.ts. null: it is active, or was rejected. */
  execution: orNull(json<Execution>()),
  executionStatus: orNull(text<ExecutionStatus>()),
  executionSince: orNull(time),
  /** When that is to be looked at again; null: when something happens (migration 0071). */
  executionDueAt: orNull(time),
  /** When what it says was done, or its payment signed. */
  executedAt: orNull(time),
});
export type ProposalRecord = RecordOf<typeof proposalsTable>;
type ExecutionFields = 'execution' | 'executionStatus' | 'executionSince' | 'executionDueAt' | 'executedAt';

declare module '../schema.ts' {
  interface Schema {
    governance_proposals: RowOf<typeof proposalsTable>;
  }
}

/** Of a proposal that nothing is known of yet. */
export const NO_EXECUTION = {
  ...{ execution: null, executionStatus: null, executionSince: null, executionDueAt: null, executedAt: null },
} as const;

export interface ProposalFilter {
  status?: ProposalStatus;
  executionStatus?: ExecutionStatus;
}

const proposals = rowsOf(proposalsTable);
/** As lists show it: without what may be large. */
const listed = rowsOf(proposalsTable, '', undefined, ['parameters', 'settings']);
export type ListedProposal = ReturnType<typeof listed.record>;
/** As it ends. */
const ending = rowsOf(proposalsTable, '', undefined, ['title', 'description', 'parameters']);

/** Of all processes. SQLite's is that of its one process. */
const DATABASE_CLOCK = sql<bigint>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;
const nowOf = (kind: DatabaseKind, clock: bigint) => (kind === 'postgres' ? DATABASE_CLOCK : sql<bigint>`${clock}`);

const databaseTime = prepared((db) => ({
  compile: () => sql<{ now: bigint }>`select ${DATABASE_CLOCK} as now`.compile(db),
}));
/** Conditions and columns as in the indexes. Over by the clock, or by a time that the DAO has seen. */
const dueAccounts = prepared((db, p: { clock: bigint; limit: bigint }, kind) => ({
  compile: () =>
    sql<{ account_id: AccountId }>`select account_id from governance_proposals
        where status = 'active' and expires_at <= ${nowOf(kind, p.clock)}
      union select dao.account_id from governance_daos as dao
        join governance_proposals as proposal on proposal.account_id = dao.account_id
        where dao.seen_at > ${nowOf(kind, p.clock)} and status = 'active' and expires_at <= dao.seen_at
      union select account_id from governance_proposals where execution_due_at <= ${nowOf(kind, p.clock)}
      union select dao.account_id from governance_daos as dao
        join governance_proposals as proposal on proposal.account_id = dao.account_id
        where dao.seen_at > ${nowOf(kind, p.clock)} and execution_due_at <= dao.seen_at
      limit ${p.limit}`.compile(db),
}));
const isDue = prepared((db, p: { accountId: AccountId; clock: bigint }, kind) => {
  const isPast = (column: 'expires_at' | 'execution_due_at') => sql`account_id = ${p.accountId}
    and (${sql.raw(column)} <= ${nowOf(kind, p.clock)}
      or ${sql.raw(column)} <= (select seen_at from governance_daos as dao where dao.account_id = governance_proposals.account_id))`;
  return {
    compile: () =>
      sql`select 1 from governance_proposals where status = 'active' and ${isPast('expires_at')}
        union all select 1 from governance_proposals where ${isPast('execution_due_at')} limit 1`.compile(db),
  };
});
const madeSince = prepared((db, p: { accountId: AccountId; proposerId: string; since: bigint }) =>
  db
    .selectFrom('governance_proposals')
    .select([sql<bigint>`count(*)`.as('count'), sql<bigint | null>`min(created_at)`.as('oldest')])
    .where('account_id', '=', p.accountId)
    .where('proposer_id', '=', p.proposerId)
    .where('created_at', '>', p.since),
);
const activeOf = prepared((db, p: { accountId: AccountId; proposerId: string }) =>
  db
    .selectFrom('governance_proposals')
    .select(sql<bigint>`count(*)`.as('count'))
    .where('account_id', '=', p.accountId)
    .where(sql<boolean>`status = 'active'`)
    .where('proposer_id', '=', p.proposerId),
);
const due = prepared((db, p: { accountId: AccountId; at: bigint; limit: bigint }) =>
  ending
    .select(db)
    .where('account_id', '=', p.accountId)
    .where(sql<boolean>`status = 'active'`)
    .where('expires_at', '<=', p.at)
    .orderBy('expires_at')
    .limit(p.limit),
);
const executionsDue = prepared((db, p: { accountId: AccountId; at: bigint; limit: bigint }) =>
  db
    .selectFrom('governance_proposals')
    .select('proposal_id')
    .where('account_id', '=', p.accountId)
    .where('execution_due_at', '<=', p.at)
    .orderBy('execution_due_at')
    .limit(p.limit),
);

/** Those that change anything: in a job that has the DAO's row. */
export function proposalRepository(session: Session, clock: () => number) {
  const now = () => BigInt(clock());
  return {
    /** What decides when a proposal ends: the same for all processes. */
    time: async (): Promise<number> =>
      session.kind === 'sqlite' ? clock() : Number((await databaseTime.first(session, {}))?.now),
    insert: async (proposal: ProposalRecord) => {
      await proposals.insert(session, [proposal]);
    },
    find: (accountId: AccountId, proposalId: ProposalId) => proposals.find(session, { accountId, proposalId }),
    /** Until the job ends no other job changes it, and what its execution depends on tells of itself only afterwards. */
    lock: (accountId: AccountId, proposalId: ProposalId) => proposals.findForUpdate(session, { accountId, proposalId }),
    /** Newest first. */
    page: (dao: DaoRecord, { status, executionStatus }: ProposalFilter, page: PageRequest) => {
      const { accountId, proposals: all, activeProposals: active, passedProposals: passed } = dao;
      const total = { all, active, passed, rejected: all - active - passed }[status ?? 'all'];
      return listed.page(
        session,
        {
          ...{ name: 'governance-proposals', where: { accountId, status, executionStatus }, atOnce: 10 },
          total: executionStatus === undefined ? total : undefined,
        },
        page,
      );
    },
    /** How many of a holder's can be voted on. */
    activeOf: async (accountId: AccountId, { proposerId }: Pick<ProposalRecord, 'proposerId'>) =>
      Number((await activeOf.first(session, { accountId, proposerId }))?.count ?? 0),
    /** How many a holder has made since, and when the oldest of them was. */
    madeSince: async (accountId: AccountId, { proposerId }: Pick<ProposalRecord, 'proposerId'>, since: number) => {
      const found = await madeSince.first(session, { accountId, proposerId, since: BigInt(since) });
      return { count: Number(found?.count ?? 0), oldest: Number(found?.oldest ?? 0) };
    },
    update: async (
      { accountId, proposalId }: Pick<ProposalRecord, 'accountId' | 'proposalId'>,
      patch: Partial<
        Pick<
          ProposalRecord,
          | ExecutionFields
          | ('status' | 'votesFor' | 'votesAgainst' | 'voters' | 'ballots' | 'endedAt' | 'cancelledAt' | 'cancelReason')
        >
      >,
    ) => {
      await proposals.update(session, { accountId, proposalId }, patch);
    },
    /** Whether one is over that has not ended, or its execution is to be looked at. */
    isDue: async (accountId: AccountId): Promise<boolean> =>
      (await isDue.first(session, { accountId, clock: now() })) !== null,
    /** Those that are over then and have not ended, the oldest first. */
    due: async (accountId: AccountId, at: number, limit: number) =>
      (await due.all(session, { accountId, at: BigInt(at), limit: BigInt(limit) })).map(ending.record),
    /** Those whose execution is to be looked at by then. */
    executionsDue: async (accountId: AccountId, at: number, limit: number): Promise<ProposalId[]> =>
      (await executionsDue.all(session, { accountId, at: BigInt(at), limit: BigInt(limit) })).map(
        (row) => row.proposal_id as ProposalId,
      ),
    /** Accounts that have such ones, or ones that are over. */
    dueAccounts: async (limit: number): Promise<AccountId[]> =>
      (await dueAccounts.all(session, { clock: now(), limit: BigInt(limit) })).map((row) => row.account_id),
  };
}
