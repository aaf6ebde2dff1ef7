/** What is told of a DAO, in the job of what it tells: to webhooks, devices, rules of notifications and /v1/governance/ws. */
import type { GovernanceEvent } from '../../core/events/governance-kinds.ts';
import type { AccountId } from '../../core/ids.ts';
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
