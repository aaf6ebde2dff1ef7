/**
 * What is kept of a proposal's execution, so that lists find it, follows what has become of it: in the job that changed it, or when it is due. It
 * is told of with each change, once.
 */
import { changesAt } from '../../core/governance/execution.ts';
import type { AccountId, ProposalId } from '../../core/ids.ts';
import type { ProposalRecord } from '../../store/repositories/proposals.ts';
import type { Repositories } from '../../store/store.ts';
import { daoTime } from './dao-time.ts';
import { withExecution } from './execution-view.ts';
import { tell, updated } from './governance-events.ts';

/** What is written of it; `since`: epoch milliseconds. */
type Executed = Pick<ProposalRecord, 'execution' | 'executedAt'>;
export const executionFields = ({ execution, executedAt }: Executed, since: number) => ({
  ...{ execution, executedAt, executionStatus: execution?.status ?? null },
  executionSince: execution === null ? null : since,
  executionDueAt: execution && changesAt(execution),
});

/** `failed`: it failed again, which is told of, too. */
export async function settle(
  tx: Repositories,
  { accountId, proposalId }: { readonly accountId: AccountId; readonly proposalId: ProposalId },
  { failed = false }: { readonly failed?: boolean } = {},
): Promise<ProposalRecord> {
  const [before, dao] = [await tx.proposals.lock(accountId, proposalId), await tx.governance.findDao(accountId)];
  if (before === null || dao === null) throw new Error(`${proposalId} is not there`);
  const now = await daoTime(tx, dao);
  const after = await withExecution(tx, before, now);
  const { execution } = after;
  const isNew = execution?.status !== before.execution?.status;
  const since = isNew ? (execution?.status === 'ready' ? execution.from : now) : before.executionSince;
  const fields = executionFields(after, since ?? now);
  await tx.proposals.update(before, fields);
  const settled = { ...after, ...fields };
  // What was there before this was kept was told of then.
  if (execution === null || before.execution === null || !(isNew || failed)) return settled;
  const { txid, approvalId: approval_id, status: execution_status } = execution;
  if (execution_status === 'executed')
    await tell(tx, accountId, {
      ...{ event: 'proposal_executed', proposal_id: proposalId, type: after.type, txid, approval_id },
      execution_status,
    });
  else await tell(tx, accountId, updated(settled));
  return settled;
}
