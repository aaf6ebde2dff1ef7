import { sql } from 'kysely';
import { prepared } from '../queries/prepared.ts';
import type { Session } from '../queries/session.ts';
import type { ContractStatus } from './contract-rows.ts';
import type { ContractKind } from './transaction-rows.ts';

/** What waits. `oldestAt` in epoch milliseconds, null where nothing does; at most 10,000 are counted. */
export interface Backlog {
  readonly count: number;
  readonly oldestAt: number | null;
}

/** Written as in the index contracts_unfinished: only then is that taken. */
const unfinished = sql<boolean>`status in ('awaiting_approval', 'offered', 'accepted', 'signed', 'funded', 'confirmed', 'executed', 'refunded')`;
/** From here on a locktime is a time. */
const MIN_TIME = sql.lit(500_000_000);
const count = sql<bigint>`count(*)`.as('count');

const openContracts = prepared((db) =>
  db.selectFrom('contracts').select(['status', count]).where(unfinished).groupBy('status'),
);
const overdueContracts = prepared((db, p: { height: bigint; medianTime: bigint }) =>
  db
    .selectFrom('contracts')
    .select(count)
    .where(unfinished)
    .where('status', '=', 'confirmed')
    .where(
      sql<boolean>`(refund_locktime <= ${p.height}
        or (refund_locktime >= ${MIN_TIME} and refund_locktime < ${p.medianTime}))`,
    ),
);
/** Written as in the index transactions_unsettled: only then is that taken. */
const unsettled = sql<boolean>`status not in ('confirmed', 'conflicted', 'failed')`;
/** What is in a mempool has no reason; what a node has let go of has what was said when it was sent again. */
const unsent = prepared((db, p: { time: bigint }) =>
  db
    .selectFrom('transactions')
    .select(['contract_kind as kind', count])
    .where(unsettled)
    .where('status', 'in', ['signed', 'broadcast'])
    .where('created_at', '<', p.time)
    .where('contract_kind', 'is not', null)
    .where('raw', 'is not', null)
    .where(sql<boolean>`(status = 'signed' or reason is not null)`)
    .groupBy('contract_kind'),
);
const equivocated = prepared((db) => db.selectFrom('oracles').select(count).where('equivocated_at', 'is not', null));
const watchedScripts = prepared((db) =>
  db
    .selectFrom('accounts')
    .select([
      sql<bigint>`cast(coalesce(sum(script_count), 0) as bigint)`.as('all'),
      sql<bigint>`coalesce(max(script_count), 0)`.as('most'),
    ]),
);
const frozenEvents = prepared((db) => db.selectFrom('oracle_events').select(count).where('frozen_at', 'is not', null));

/**
 * From behind the last seal on; on PostgreSQL a record may become visible a little behind it. Bounded, since the figure of an outage says no
 * more when it is exact.
 */
const unsealed = prepared((db, _: object) => ({
  compile: () =>
    sql<WaitingRow>`select count(*) as count, min(time) as oldest from (
      select record.time from audit_records as record left join audit_seals as seal on seal.sequence = record.sequence
      where seal.sequence is null and record.sequence > coalesce((select max(sequence) from audit_seals), 0) - 1000
      order by record.sequence limit 10000) as waiting`.compile(db),
}));
const unnumbered = prepared((db, _: object) => ({
  compile: () =>
    sql<WaitingRow>`select count(*) as count, min(created_at) as oldest from (
      select created_at from events where seq is null order by event_id limit 10000) as waiting`.compile(db),
}));
const undecided = prepared((db, _: object) => ({
  compile: () =>
    sql<WaitingRow>`select count(*) as count, min(created_at) as oldest from (
      select created_at from approvals where status = 'pending' order by account_id, created_at limit 10000) as waiting`.compile(
      db,
    ),
}));
/** Those of frozen accounts wait until they are free again. */
const approved = prepared((db, _: object) => ({
  compile: () =>
    sql<WaitingRow>`select count(*) as count, min(closed_at) as oldest from (
      select approvals.closed_at from approvals inner join accounts on accounts.account_id = approvals.account_id
      where approvals.status = 'approved' and approvals.done_at is null and accounts.frozen_at is null
      order by approvals.closed_at limit 10000) as waiting`.compile(db),
}));
/** Written as in the indexes of migration 0075: only then are those taken. */
const executionsIn = (status: 'ready' | 'awaiting_approval') =>
  prepared((db, _: object) => ({
    compile: () =>
      sql<WaitingRow>`select count(*) as count, min(execution_since) as oldest from (
      select execution_since from governance_proposals where execution_status = '${sql.raw(status)}'
      order by execution_since limit 10000) as waiting`.compile(db),
  }));
const [ready, inApproval] = [executionsIn('ready'), executionsIn('awaiting_approval')];
/** Of the counters that each DAO keeps. */
const proposals = prepared((db) =>
  db
    .selectFrom('governance_daos')
    .select(
      (['proposals', 'active_proposals', 'passed_proposals'] as const).map((column) =>
        sql<bigint>`cast(coalesce(sum(${sql.ref(column)}), 0) as bigint)`.as(column),
      ),
    ),
);
const replaysRunning = prepared((db, _: object) => ({
  compile: () =>
    sql<{ count: bigint }>`select count(*) as count from (
      select 1 from replays where status = 'running' limit 10000) as running`.compile(db),
}));
interface WaitingRow {
  count: bigint;
  oldest: bigint | null;
}
export const toBacklog = (row: WaitingRow | null | undefined): Backlog => ({
  count: Number(row?.count ?? 0),
  oldestAt: row?.oldest == null ? null : Number(row.oldest),
});

/** Counts over every account, for those who watch the service: no record leaves it. */
export function metricsRepository(session: Session) {
  return {
    /** Of contracts that are not over; a status that none has is left out. */
    openContracts: async () =>
      new Map((await openContracts.all(session, {})).map((row) => [row.status as ContractStatus, Number(row.count)])),
    /** Of confirmed contracts whose refund has been final since this block (height; median time in Unix seconds). */
    overdueContracts: async ({ height, medianTime }: { height: number; medianTime: number }) => {
      const found = await overdueContracts.first(session, { height: BigInt(height), medianTime: BigInt(medianTime) });
      return Number(found?.count ?? 0);
    },
    /**
     * Of contracts' signed transactions that were committed before `time` (epoch milliseconds) and that, by the last word on them, no mempool
     * and no block has. A kind of which there is none is left out.
     */
    unsentOfContracts: async (time: number) =>
      new Map(
        (await unsent.all(session, { time: BigInt(time) })).map((row) => [row.kind as ContractKind, Number(row.count)]),
      ),
    /** Audit records without a seal, and events without a number. */
    backlog: async () => ({
      unsealed: toBacklog(await unsealed.first(session, {})),
      unnumbered: toBacklog(await unnumbered.first(session, {})),
    }),
    /** Approvals that wait for votes, and since when the oldest; those approved and not carried out, and since when. */
    openApprovals: async () => ({
      waiting: toBacklog(await undecided.first(session, {})),
      approved: toBacklog(await approved.first(session, {})),
    }),
    /** Proposals by status, and executions that nobody has carried out. */
    governance: async () => {
      const row = await proposals.first(session, {});
      const [all, active, passed] = [row?.proposals, row?.active_proposals, row?.passed_proposals].map(Number) as [
        ...[number, number, number],
      ];
      return {
        proposals: { active, passed, rejected: all - active - passed },
        executions: {
          ready: toBacklog(await ready.first(session, {})),
          awaiting_approval: toBacklog(await inApproval.first(session, {})),
        },
      };
    },
    runningReplays: async () => Number((await replaysRunning.first(session, {}))?.count ?? 0),
    /** Scripts of all wallets, and of the account that has most. */
    watchedScripts: async () => {
      const row = await watchedScripts.first(session, {});
      return { all: Number(row?.all ?? 0n), ofOneAccount: Number(row?.most ?? 0n) };
    },
    /** Oracles that attested two outcomes of one event, and events of local oracles that are attested no more. */
    oracles: async () => {
      const [twice, frozen] = [await equivocated.first(session, {}), await frozenEvents.first(session, {})];
      return { equivocated: Number(twice?.count ?? 0), frozenEvents: Number(frozen?.count ?? 0) };
    },
  };
}
