import { operation } from '../../../hooks/operation.ts';
import type { TransactionService } from '../../../services/transactions/transaction-service.ts';
import { transaction, transactionExample } from './transaction-answer.ts';
import { txidParams } from './transaction-requests.ts';

export const getTransaction = (transactions: TransactionService) =>
  operation({
    id: 'transaction.get',
    family: 'a',
    method: 'GET',
    path: '/api/v1/transactions/{txid}',
    summary: 'Read one transaction',
    description: 'By txid, or by the txid it had before its signatures were complete.',
    tag: 'Transactions',
    effect: 'read',
    access: { scope: 'transactions:read', role: 'viewer' },
    params: txidParams,
    success: { status: 200, answer: transaction, description: 'The transaction' },
    errors: ['not_found'],
    example: { params: { txid: transactionExample.txid }, response: transactionExample },
    run: ({ params }, context) => transactions.get(params.txid, context),
  });
