/** What is told of a DAO, in the job of what it tells: to webhooks, devices, rules of notifications and /v1/governance/ws. */
import type { GovernanceEvent } from '../../core/events/governance-kinds.ts';
import type { AccountId } from '../../core/ids.ts';
import type { ProposalRecord } from '../../store/repositories/proposals.ts';
import type { Repositories } from '../../store/store.ts';

/** What it is about: of several about the same, a device is told the last. */
function refOf(accountId: AccountId, event: GovernanceEvent): string {
  if ('proposal_id' in event) return event.proposal_id;
  return 'delegation_id' in event ? event.delegation_id : accountId;
}

export async function tell(
  tx: Pick<Repositories, 'events'>,
  accountId: AccountId,
  event: GovernanceEvent,
): Promise<void> {
  await tx.events.append({ accountId, channel: 'governance', ref: refOf(accountId, event), data: { ...event } });
}

/** Of a proposal that has ended, or whose execution has come to something else. */
type Ended = Pick<ProposalRecord, 'proposalId' | 'status' | 'votesFor' | 'votesAgainst' | 'execution'>;
export const updated = ({ proposalId, status, votesFor, votesAgainst, execution }: Ended) => ({
  ...{ event: 'proposal_updated' as const, proposal_id: proposalId, status },
  ...{ votes_for: Number(votesFor), votes_against: Number(votesAgainst) },
  ...{ reason: execution?.reason ?? null, execution_status: execution?.status ?? null },
  ...{ txid: execution?.txid ?? null, approval_id: execution?.approvalId ?? null },
});
