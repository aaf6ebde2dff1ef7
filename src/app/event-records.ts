/** Records of events, as REST answers them: by the operation that reads each (core/events/event-types.ts). */
import type { Logger } from 'pino';
import { DomainError } from '../core/errors.ts';
import type { ApprovalId, ContractId } from '../core/ids.ts';
import { txid } from '../core/outpoint.ts';
import { transaction } from '../families/a-transactions/transactions/transaction-answer.ts';
import { approval } from '../families/approvals/approval-answer.ts';
import { contract } from '../families/contracts/contract-answer.ts';
import type { ApprovalService } from '../services/approvals/approval-service.ts';
import type { ContractService } from '../services/contracts/contract-service.ts';
import type { Reading } from '../services/requests/request-context.ts';
import type { TransactionService } from '../services/transactions/transaction-service.ts';
import type { EventRecords, Reader } from '../services/webhooks/webhook-messages.ts';

export function createEventRecords(services: {
  transactions: Pick<TransactionService, 'get'>;
  contracts: Pick<ContractService, 'get'>;
  approvals: Pick<ApprovalService, 'get'>;
  log: Logger;
}): EventRecords {
  const { transactions, contracts, approvals, log } = services;
  const found =
    (read: (ref: string, context: Reading) => Promise<object>) =>
    async (ref: string, { accountId, role, scopes }: Reader) => {
      // It is nobody who could have asked for what was approved: what is shown to that one alone is not delivered.
      const credential = { kind: 'api_key', id: '', role, scopes, requireSignature: true } as const;
      return read(ref, { accountId, credential, facts: { signature: null } }).then(
        (record) => record as Readonly<Record<string, unknown>>,
        (error: unknown) => {
          if (error instanceof DomainError) {
            if (error.code === 'not_found') return null;
            throw error;
          }
          // A damaged record would stop the webhook for good: it is tried again only where trying again helps.
          log.error({ err: error, accountId, ref }, 'a webhook gets an event without its record, which cannot be read');
          return null;
        },
      );
    };
  return {
    'transaction.get': found(async (ref, context) => transaction.present(await transactions.get(txid(ref), context))),
    'contract.get': found(async (ref, context) => contract.present(await contracts.get(ref as ContractId, context))),
    'approval.get': found(async (ref, context) => approval.present(await approvals.get(ref as ApprovalId, context))),
  };
}
