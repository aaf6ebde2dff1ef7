import type { ContractRecord } from '../../store/repositories/contract-rows.ts';

/** What a contract has not become when it is first kept. */
export const NEW_CONTRACT_FIELDS = {
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
  counts: null,
  policy: null,
  approvalId: null,
} as const satisfies Partial<ContractRecord>;
