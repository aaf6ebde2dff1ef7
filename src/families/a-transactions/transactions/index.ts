import type { AnyOperation } from '../../../hooks/operation.ts';
import type { ChooseFeeRate } from '../../../services/fees/choose-fee-rate.ts';
import type { TransactionService } from '../../../services/transactions/transaction-service.ts';
import { abandonTransaction } from './abandon-transaction.ts';
import { bulkCreateTransaction } from './bulk-create-transaction.ts';
import { bumpTransaction } from './bump-transaction.ts';
import { cancelTransaction } from './cancel-transaction.ts';
import { cpfpTransaction } from './cpfp-transaction.ts';
import { createTransaction } from './create-transaction.ts';
import { createTransactionSignature } from './create-transaction-signature.ts';
import { getTransaction } from './get-transaction.ts';
import { getTransactionPsbt } from './get-transaction-psbt.ts';
import { listTransaction } from './list-transaction.ts';
import { listWalletTransaction } from './list-wallet-transaction.ts';

export const transactionOperations = ({
  transactions,
  chooseFeeRate,
}: {
  transactions: TransactionService;
  chooseFeeRate: ChooseFeeRate;
}): AnyOperation[] => [
  createTransaction(transactions, chooseFeeRate),
  bulkCreateTransaction(transactions, chooseFeeRate),
  getTransaction(transactions),
  listTransaction(transactions),
  listWalletTransaction(transactions),
  bumpTransaction(transactions, chooseFeeRate),
  cpfpTransaction(transactions, chooseFeeRate),
  cancelTransaction(transactions, chooseFeeRate),
  abandonTransaction(transactions),
  createTransactionSignature(transactions),
  getTransactionPsbt(transactions),
];
