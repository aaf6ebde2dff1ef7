/** Ends of proposals: when voting is over, and once, whoever comes first: the worker, a reader, or somebody who votes. */
import { DomainError } from '../../core/errors.ts';
import { outcomeOf } from '../../core/governance/proposal-outcome.ts';
import type { AccountId } from '../../core/ids.ts';
import { createWorkOutage, type OutageLog } from '../../outages/outage.ts';
import { inBatches } from '../../scheduling/in-batches.ts';
import { createJobQueue } from '../../scheduling/job-queue.ts';
import type { DaoRecord } from '../../store/repositories/governance.ts';
import type { ProposalRecord } from '../../store/repositories/proposals.ts';
import type { Repositories, Store } from '../../store/store.ts';
import { daoTime } from './dao-time.ts';
import { withExecution } from './execution-view.ts';
import { tell, updated } from './governance-events.ts';
import { recordEnd } from './record-end.ts';
import { executionFields, settle } from './settle.ts';

/** Of an account in one job: others write in between. */
const AT_ONCE = 50;
const MOST_ACCOUNTS = 1_000;
const INTERVAL_MS = 1_000;

/** The DAO's time in a job that has its row and dates something: no later time is before it. */
export async function datingTime(tx: Repositories, dao: DaoRecord): Promise<number> {
  const now = await daoTime(tx, dao);
  if (now > dao.seenAt) await tx.governance.updateDao(dao.accountId, { seenAt: now });
  return now;
}

/** In such a job: the time, where the proposal can be voted on. Throws `state_conflict`. `endDue` comes before it: what is over then has ended for good. */
export async function openForVotes(
  tx: Repositories,
  dao: DaoRecord,
  { status, expiresAt, cancelledAt }: Pick<ProposalRecord, 'status' | 'expiresAt' | 'cancelledAt'>,
): Promise<number> {
  const now = await datingTime(tx, dao);
  if (status === 'active' && now < expiresAt) return now;
  const how =
    cancelledAt === null ? `voting on it ended at ${new Date(expiresAt).toISOString()}` : 'the proposal was cancelled';
  throw new DomainError('state_conflict', how, { field: 'id' });
}

export function createEnds({ store, clock, log }: { store: Store; clock: () => number; log: OutageLog }) {
  /** Ends what is over, and looks at executions that are due. Answers how many there were. */
  async function endSome(accountId: AccountId): Promise<number> {
    const { ended, looked } = await endIn(accountId);
    for (const { proposalId: proposal, status } of ended)
      log.info({ part: 'governance', account: accountId, proposal, status }, 'a proposal ended');
    return Math.max(ended.length, looked);
  }

  const endIn = (accountId: AccountId) =>
    store.write(async (tx) => {
      const dao = await tx.governance.lockDao(accountId);
      const ended: Pick<ProposalRecord, 'proposalId' | 'status'>[] = [];
      if (dao === null) return { ended, looked: 0 };
      const now = await datingTime(tx, dao);
      const over = await tx.proposals.due(accountId, now, AT_ONCE);
      let { passedProposals } = dao;
      for (const proposal of over) {
        const status = outcomeOf(proposal);
        // Also where the service was away then.
        const { expiresAt: endedAt } = proposal;
        const after = await withExecution(tx, { ...proposal, status, endedAt }, endedAt - 1);
        await tx.proposals.update(proposal, { status, endedAt, ...executionFields(after, endedAt) });
        passedProposals += Number(status === 'passed');
        await recordEnd(tx, proposal, status);
        await tell(tx, accountId, updated(after));
        ended.push(after);
      }
      const activeProposals = dao.activeProposals - over.length;
      if (over.length > 0) await tx.governance.updateDao(accountId, { activeProposals, passedProposals });
      const settling = await tx.proposals.executionsDue(accountId, now, AT_ONCE);
      for (const proposalId of settling) await settle(tx, { accountId, proposalId });
      return { ended, looked: settling.length };
    });

  return {
    /** Before what depends on it: ends what is over. */
    async endDue(accountId: AccountId): Promise<void> {
      if (await store.read.proposals.isDue(accountId)) await inBatches(AT_ONCE, () => endSome(accountId));
    },

    worker: createJobQueue({
      ...{ name: 'governance', log, clock, intervalMs: INTERVAL_MS, atOnce: { all: 2, ofAccount: 1 } },
      failed: 'proposals that are over could not be read',
      recovered: 'proposals that are over are read again',
      failing: createWorkOutage({
        ...{ part: 'governance', log, clock },
        began: 'proposals that are over could not be ended; trying again',
        ended: 'proposals that are over are ended again',
      }),
      alone: (signal, rounds) => store.exclusively('governance', signal, rounds),
      due: async () =>
        (await store.read.proposals.dueAccounts(MOST_ACCOUNTS)).map((accountId) => ({ key: accountId, accountId })),
      perform: async ({ accountId }) => ((await endSome(accountId as AccountId)) < AT_ONCE ? 'done' : 'more'),
    }),
  };
}
export type Ends = ReturnType<typeof createEnds>;
