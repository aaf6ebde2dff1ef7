import type { ContractRecord } from '../../store/interfaces/contracts.ts';
import type { NewEvent } from '../../store/records.ts';

/** The `contracts` channel's update: written wherever a contract's status or progress changes, in the same write job. */
export function contractEvent(
  contract: Pick<ContractRecord, 'accountId' | 'contractId' | 'status' | 'outcome' | 'progress'>,
  retractsEventId?: bigint | null,
): NewEvent {
  const { accountId, contractId, status, outcome, progress } = contract;
  return {
    accountId,
    channel: 'contracts',
    ref: contractId,
    data: { contract_id: contractId, status, outcome, ...(progress === null ? {} : { progress }) },
    ...(retractsEventId ? { retractsEventId } : {}),
  };
}
