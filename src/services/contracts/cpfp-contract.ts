/** A child that pays for what is unconfirmed of a contract: its funding transaction, or what closes it. */

import { DomainError } from '../../core/errors.ts';
import type { FeeRate } from '../../core/fee-rate.ts';
import type { AccountId, ApprovalId, ContractId } from '../../core/ids.ts';
import type { Txid } from '../../core/outpoint.ts';
import type { ContractRecord } from '../../store/repositories/contract-rows.ts';
import type { Repositories, Store } from '../../store/store.ts';
import { heldAs } from '../approvals/held-answer.ts';
import type { ChildPaysForParent } from '../transactions/cpfp-transaction.ts';
import type { ContractService, ContractView } from './contract-service.ts';
import { assertContractAllows } from './contract-states.ts';

export function createCpfpContract(deps: {
  store: Store;
  childPaysForParent: ChildPaysForParent;
  require: (accountId: AccountId, contractId: ContractId) => Promise<ContractRecord>;
  viewIn: (tx: Repositories, record: ContractRecord) => Promise<ContractView>;
}): ContractService['cpfp'] {
  const { viewIn } = deps;

  return async (contractId, { feeRateSatVb }, context) => {
    const { accountId } = context;
    const contract = await deps.require(accountId, contractId);
    assertContractAllows('cpfp', contract);
    const viewNow = async (tx: Repositories): Promise<ContractView> =>
      viewIn(tx, (await tx.contracts.find(accountId, contractId)) ?? contract);
    const txid = unconfirmedOf(contract);
    const feeRate = (feeRateSatVb * 1000n) as FeeRate;
    const request = { feeRate, operation: 'contract_cpfp' } as const;
    // The child is a payment that waits by itself where rules want it approved first.
    const answer = async ({ approvalId }: { approvalId: ApprovalId | null }, tx: Repositories) => {
      const approval = approvalId && (await tx.approvals.find(accountId, approvalId));
      return approval?.status === 'pending' ? heldAs(tx, approval) : viewNow(tx);
    };
    return answer(await deps.childPaysForParent(accountId, txid, request, context, { answer }), deps.store.read);
  };
}

function unconfirmedOf({ contractId, fundingTxid, fundingHeight, closingTxid, closingHeight }: ContractRecord): Txid {
  if (closingTxid !== null && closingHeight === null) return closingTxid;
  if (fundingTxid !== null && fundingHeight === null && closingTxid === null) return fundingTxid;
  throw new DomainError('state_conflict', `nothing of contract ${contractId} is unconfirmed`, { field: 'contract_id' });
}
