import { operation } from '../../../hooks/operation.ts';
import type { TransactionService } from '../../../services/transactions/transaction-service.ts';
import { pageExample, paginated } from '../../answer.ts';
import { listedTransaction, transactionExample } from './transaction-answer.ts';
import { pageOf } from './transaction-page.ts';
import { transactionsQuery } from './transaction-requests.ts';

export const listTransaction = (transactions: TransactionService) =>
  operation({
    id: 'transaction.list',
    family: 'a',
    method: 'GET',
    path: '/api/v1/transactions',
    summary: 'List transactions, newest first',
    tag: 'Transactions',
    effect: 'read',
    access: { scope: 'transactions:read', role: 'viewer' },
    query: transactionsQuery,
    success: { status: 200, answer: paginated(listedTransaction), description: 'A page of transactions' },
    errors: ['invalid_value'],
    example: {
      query: { status: 'broadcast', limit: '20' },
      response: pageExample(transactionExample),
    },
    run: ({ query }, context) => {
      const { page, filter } = pageOf(query);
      return transactions.list({ ...filter, walletId: query.wallet_id }, page, context);
    },
  });
