/** Records of events, as REST answers them: by the operation that reads each (core/events/event-types.ts). */
import { DomainError } from '../core/errors.ts';
import type { ApprovalId, ContractId } from '../core/ids.ts';
import { txid } from '../core/outpoint.ts';
import { transaction } from '../families/a-transactions/transactions/transaction-answer.ts';
import { approval } from '../families/approvals/approval-answer.ts';
import { contract } from '../families/contracts/contract-answer.ts';
import type { ApprovalService } from '../services/approvals/approval-service.ts';
import type { ContractService } from '../services/contracts/contract-service.ts';
import type { RequestContext } from '../services/requests/request-context.ts';
import type { TransactionService } from '../services/transactions/transaction-service.ts';
import type { EventRecords, Reader } from '../services/webhooks/webhook-messages.ts';

export function createEventRecords(services: {
  transactions: Pick<TransactionService, 'get'>;
  contracts: Pick<ContractService, 'get'>;
  approvals: Pick<ApprovalService, 'get'>;
}): EventRecords {
  const { transactions, contracts, approvals } = services;
  const found =
    (read: (ref: string, context: RequestContext) => Promise<object>) =>
    async (ref: string, { accountId, role, scopes }: Reader) => {
      // It is nobody who could have asked for what was approved: what is shown to that one alone is not delivered.
      const credential = { kind: 'api_key', id: '', countsAs: null, role, scopes, requireSignature: true };
      return read(ref, { accountId, credential, facts: { signature: null } } as unknown as RequestContext).then(
        (record) => record as Readonly<Record<string, unknown>>,
        (error: unknown) => {
          if (error instanceof DomainError && error.code === 'not_found') return null;
          throw error;
        },
      );
    };
  return {
    'transaction.get': found(async (ref, context) => transaction.present(await transactions.get(txid(ref), context))),
    'contract.get': found(async (ref, context) => contract.present(await contracts.get(ref as ContractId, context))),
    'approval.get': found(async (ref, context) => approval.present(await approvals.get(ref as ApprovalId, context))),
  };
}
