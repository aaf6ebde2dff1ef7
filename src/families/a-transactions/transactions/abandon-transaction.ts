import { operation } from '../../../hooks/operation.ts';
import type { TransactionService } from '../../../services/transactions/transaction-service.ts';
import { transaction, transactionExample } from './transaction-answer.ts';
import { txidParams } from './transaction-requests.ts';

export const abandonTransaction = (transactions: TransactionService) =>
  operation({
    id: 'transaction.abandon',
    spends: [],
    family: 'a',
    method: 'POST',
    path: '/api/v1/transactions/{txid}/abandon',
    summary: 'Give up a payment that is in no mempool, or that was not signed',
    description:
      'Frees its coins. Whoever received its bytes, or holds its PSBT with enough signatures, could still send it; where that matters, ' +
      'spend its coins otherwise (cancel).',
    tag: 'Transactions',
    effect: 'write',
    access: { scope: 'transactions:write', role: 'operator' },
    params: txidParams,
    success: { status: 200, answer: transaction, description: 'The transaction, abandoned' },
    errors: ['not_found', 'state_conflict', 'node_unavailable', 'node_syncing'],
    example: {
      params: { txid: transactionExample.txid },
      response: { ...transactionExample, status: 'abandoned', reason: 'abandoned on request' },
    },
    run: ({ params }, context) => transactions.abandon(params.txid, context),
  });
