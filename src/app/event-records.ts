/** Records of events, as REST answers them: by the operation that reads each (core/events/event-types.ts). */
import type { Logger } from 'pino';
import { DomainError } from '../core/errors.ts';
import type { ApprovalId, ContractId } from '../core/ids.ts';
import { txid } from '../core/outpoint.ts';
import { listedTransaction, transaction } from '../families/a-transactions/transactions/transaction-answer.ts';
import { approval, listedApproval } from '../families/approvals/approval-answer.ts';
import { contract, listedContract } from '../families/contracts/contract-answer.ts';
import { createYielder } from '../scheduling/yielder.ts';
import type { ApprovalService } from '../services/approvals/approval-service.ts';
import type { ContractService } from '../services/contracts/contract-service.ts';
import type { ListedChannel, SyncRecords } from '../services/mobile/sync-records.ts';
import type { Reading, RequestContext } from '../services/requests/request-context.ts';
import type { TransactionService } from '../services/transactions/transaction-service.ts';
import type { EventRecords, Json, Reader } from '../services/webhooks/webhook-messages.ts';
import type { Page } from '../store/records.ts';

/** null where it is gone, or damaged: that would stop the reader for good. What another try may end is thrown. */
const unlessLost = (log: Logger, read: Promise<object>, of: object): Promise<Json | null> =>
  read.then(
    (record) => record as Json,
    (error: unknown) => {
      if (error instanceof DomainError) {
        if (error.code === 'not_found') return null;
        throw error;
      }
      log.error({ err: error, ...of }, 'an event is given without its record, which cannot be read');
      return null;
    },
  );

export function createEventRecords(services: {
  transactions: Pick<TransactionService, 'get'>;
  contracts: Pick<ContractService, 'get'>;
  approvals: Pick<ApprovalService, 'get'>;
  log: Logger;
}): EventRecords {
  const { transactions, contracts, approvals, log } = services;
  const found =
    (read: (ref: string, context: Reading) => Promise<object>) =>
    (ref: string, { accountId, role, scopes }: Reader) => {
      // It is nobody who could have asked for what was approved: what is shown to that one alone is not delivered.
      const credential = { kind: 'api_key', id: '', role, scopes, requireSignature: true } as const;
      return unlessLost(log, read(ref, { accountId, credential, facts: { signature: null } }), { accountId, ref });
    };
  return {
    'transaction.get': found(async (ref, context) => transaction.present(await transactions.get(txid(ref), context))),
    'contract.get': found(async (ref, context) => contract.present(await contracts.get(ref as ContractId, context))),
    'approval.get': found(async (ref, context) => approval.present(await approvals.get(ref as ApprovalId, context))),
  };
}

/** The same for devices, without what may be large: PSBTs, wire messages, texts of approvals. */
export function createSyncRecords(services: {
  transactions: Pick<TransactionService, 'get' | 'list' | 'listOfWallet'>;
  contracts: Pick<ContractService, 'getListed' | 'list'>;
  approvals: Pick<ApprovalService, 'getListed' | 'list'>;
  log: Logger;
}): SyncRecords {
  const { transactions, contracts, approvals, log } = services;
  const one: Readonly<Record<ListedChannel | 'deposits', (ref: string, of: RequestContext) => Promise<object>>> = {
    transactions: async (ref, of) => listedTransaction.present(await transactions.get(txid(ref), of)),
    deposits: async (ref, of) => listedTransaction.present(await transactions.get(txid(ref), of)),
    contracts: async (ref, of) => listedContract.present(await contracts.getListed(ref as ContractId, of)),
    approvals: async (ref, of) => listedApproval.present(await approvals.getListed(ref as ApprovalId, of)),
  };
  /** Others get their turn: records may be large. */
  async function presented<R>({ data, ...page }: Page<R>, present: (record: R) => object): Promise<Page<Json>> {
    const pause = createYielder();
    const made: Json[] = [];
    for (const record of data) {
      await pause();
      made.push(present(record) as Json);
    }
    return { ...page, data: made };
  }
  return {
    find: async (channel, ref, context) =>
      channel in one ? unlessLost(log, one[channel as ListedChannel](ref, context), { channel, ref }) : null,
    async list(channel, walletId, page, context) {
      if (channel === 'contracts') return presented(await contracts.list({}, page, context), listedContract.present);
      if (channel === 'approvals') return presented(await approvals.list({}, page, context), listedApproval.present);
      const found =
        walletId === null
          ? await transactions.list({}, page, context)
          : await transactions.listOfWallet(walletId, {}, page, context);
      return presented(found, listedTransaction.present);
    },
  };
}
