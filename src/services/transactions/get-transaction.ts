import { DomainError } from '../../core/errors.ts';
import type { AccountId } from '../../core/ids.ts';
import type { Txid } from '../../core/outpoint.ts';
import type { TransactionRecord } from '../../store/records.ts';
import type { Repositories } from '../../store/store.ts';
import type { TransactionService } from './transaction-service.ts';
import { type TipHeight, viewNow } from './transaction-view.ts';

/** Throws `not_found`. */
export async function requireTransaction(
  read: Pick<Repositories, 'transactions'>,
  accountId: AccountId,
  txid: Txid,
): Promise<TransactionRecord> {
  const record = await read.transactions.find(accountId, txid);
  if (record) return record;
  throw noTransaction(txid);
}

const noTransaction = (txid: Txid): DomainError =>
  new DomainError('not_found', `there is no transaction ${txid} in this account`, { field: 'txid' });

export function createGetTransaction(read: Repositories, tipHeight: TipHeight): TransactionService['get'] {
  return async (txid, context) => {
    const record = await read.transactions.findShown(context.accountId, txid);
    if (!record) throw noTransaction(txid);
    return viewNow(tipHeight, record);
  };
}
