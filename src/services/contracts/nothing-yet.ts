import type { ContractRecord } from '../../store/tables/contracts.ts';

/** What a contract has not become when it is first kept. */
export const NOTHING_YET = {
  dlcContractId: null,
  fundingTxid: null,
  fundingVout: null,
  fundingHeight: null,
  closingTxid: null,
  closingKind: null,
  closingHeight: null,
  closingBlockHash: null,
  outcome: null,
  progress: null,
  reason: null,
} as const satisfies Partial<ContractRecord>;
