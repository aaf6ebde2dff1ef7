import type { AccountId } from '../../core/ids.ts';
import type { Page, PageRequest } from '../../store/records.ts';
import type { TransactionFilter } from '../../store/repositories/transaction-rows.ts';
import type { Repositories } from '../../store/store.ts';
import { requireWallet } from '../wallets/wallet-dependencies.ts';
import type { ListedTransactionView, TransactionQuery, TransactionService } from './transaction-service.ts';
import { type TipHeight, viewOf } from './transaction-view.ts';

export function createListTransactions(
  read: Repositories,
  tipHeight: TipHeight,
): Pick<TransactionService, 'list' | 'listOfWallet'> {
  async function list(
    accountId: AccountId,
    query: TransactionQuery,
    page: PageRequest,
  ): Promise<Page<ListedTransactionView>> {
    const records = await read.transactions.list(accountId, filterOf(query), page);
    const tip = await tipHeight();
    return { ...records, data: records.data.map((record) => viewOf(record, tip)) };
  }

  return {
    list: (query, page, context) => list(context.accountId, query, page),
    async listOfWallet(walletId, query, page, context) {
      await requireWallet(read, context.accountId, walletId);
      return list(context.accountId, { ...query, walletId }, page);
    },
  };
}

/** Only what was asked for: the repository's filter has no undefined members. */
function filterOf(query: TransactionQuery): TransactionFilter {
  const { walletId, status, direction, externalId, label } = query;
  return {
    ...(walletId === undefined ? {} : { walletId }),
    ...(status === undefined ? {} : { status }),
    ...(direction === undefined ? {} : { direction }),
    ...(externalId === undefined ? {} : { externalId }),
    ...(label === undefined ? {} : { label }),
  };
}
