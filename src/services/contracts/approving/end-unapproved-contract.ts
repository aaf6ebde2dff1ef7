import { coinHoldOf } from '../../../core/dlc/coin-hold.ts';
import type { ContractPatch, ContractRecord } from '../../../store/repositories/contract-rows.ts';
import type { Repositories } from '../../../store/store.ts';
import { failApproval } from '../../approvals/open-approval.ts';

/**
 * What becomes of a contract that waits for approval and will have none, in a job that holds it: nobody can approve it any more, and its coins
 * are free. An offer of ours has failed; somebody else's is offered as before.
 */
export async function endUnapprovedContract(
  tx: Pick<Repositories, 'approvals' | 'coins' | 'events'>,
  held: ContractRecord,
  reason: string,
  now: number,
): Promise<ContractPatch> {
  await freeUnapproved(tx, held, reason, now);
  if (held.role !== 'accepter') return { status: 'failed', reason };
  return { status: 'offered', reason, acceptSide: null, counts: null, policy: null };
}

export async function freeUnapproved(
  tx: Pick<Repositories, 'approvals' | 'coins' | 'events'>,
  { accountId, contractId, approvalId, status }: ContractRecord,
  reason: string,
  now: number,
): Promise<void> {
  await tx.coins.release(accountId, coinHoldOf(contractId));
  if (status === 'awaiting_approval' && approvalId !== null)
    await failApproval(tx, { accountId, approvalId }, reason, now);
}
