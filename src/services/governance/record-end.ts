/** What the audit record of a proposal's end commits to: the outcome, and all votes. */
import { type End, endCommitment, NO_VOTES } from '../../core/governance/commitments.ts';
import type { ProposalRecord } from '../../store/repositories/proposals.ts';
import type { Repositories } from '../../store/store.ts';
import { recordChangesBy } from '../audit/record-change.ts';

const recordChange = recordChangesBy({ kind: 'service', id: 'governance' });

type Ended = Pick<ProposalRecord, 'accountId' | 'proposalId'>;

/** In the job that ends it. */
export async function endOf(
  tx: Pick<Repositories, 'recounts'>,
  { accountId, proposalId }: Ended,
  end: End,
): Promise<string> {
  return endCommitment(proposalId, end, (await tx.recounts.lastCast(accountId, proposalId)) ?? NO_VOTES);
}

/** Of one that ends by itself. */
export async function recordEnd(tx: Repositories, ended: Ended, end: End): Promise<void> {
  const { accountId, proposalId: target } = ended;
  await recordChange(tx, { operation: 'proposal.end', accountId, target, commitment: await endOf(tx, ended, end) });
}
