import { operation } from '../../../hooks/operation.ts';
import type { TransactionService } from '../../../services/transactions/transaction-service.ts';
import { pageExample, paginated } from '../../answer.ts';
import { listedTransaction, transactionExample } from './transaction-answer.ts';
import { pageOf } from './transaction-page.ts';
import { walletParams, walletTransactionsQuery } from './transaction-requests.ts';

export const listWalletTransaction = (transactions: TransactionService) =>
  operation({
    id: 'wallet-transaction.list',
    family: 'a',
    method: 'GET',
    path: '/api/v1/wallets/{wallet_id}/transactions',
    summary: "List a wallet's transactions, newest first",
    description: 'Every transaction that pays to the wallet or spends from it.',
    tag: 'Wallets',
    effect: 'read',
    access: { scope: 'transactions:read', role: 'viewer' },
    params: walletParams,
    query: walletTransactionsQuery,
    success: { status: 200, answer: paginated(listedTransaction), description: 'A page of transactions' },
    errors: ['invalid_value', 'not_found'],
    example: {
      params: { wallet_id: transactionExample.wallet_id },
      response: pageExample(transactionExample),
    },
    run: ({ params, query }, context) => {
      const { page, filter } = pageOf(query);
      return transactions.listOfWallet(params.wallet_id, filter, page, context);
    },
  });
