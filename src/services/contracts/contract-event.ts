import type { UpdateData } from '../../core/events/channels.ts';
import type { NewEvent } from '../../store/records.ts';
import type { ContractRecord, ContractStatus } from '../../store/repositories/contract-rows.ts';

type EventFields = Pick<ContractRecord, 'contractId' | 'status' | 'outcome' | 'progress'>;

/** An outcome is told when it is broadcast, not when it is decided. */
const SETTLED: readonly ContractStatus[] = ['executed', 'closed'];

/** The `contracts` channel's update: written wherever what it tells of a contract changes, in the same write job. */
export function contractEvent(
  contract: EventFields & Pick<ContractRecord, 'accountId'>,
  retractsEventId?: bigint | null,
): NewEvent {
  const { accountId, contractId } = contract;
  return {
    accountId,
    channel: 'contracts',
    ref: contractId,
    data: toldOf(contract),
    ...(retractsEventId ? { retractsEventId } : {}),
  };
}

export function hasSameEvent(before: EventFields, after: EventFields): boolean {
  return JSON.stringify(toldOf(before)) === JSON.stringify(toldOf(after));
}

const toldOf = ({ contractId, status, outcome, progress }: EventFields): UpdateData['contracts'] => ({
  contract_id: contractId,
  status,
  outcome: SETTLED.includes(status) ? outcome : null,
  ...(progress === null ? {} : { progress }),
});
