import type { TransactionRecord } from '../../store/records.ts';
import type { Repositories } from '../../store/store.ts';
import type { TransactionView } from './transaction-service.ts';

/** The record with its confirmations as of `tipHeight`. */
export const viewOf = (record: TransactionRecord, tipHeight: number): TransactionView => ({
  ...record,
  confirmations: record.blockHeight === null ? 0 : Math.max(1, tipHeight - record.blockHeight + 1),
});

/** The same as of the followed chain's tip, which is asked for only where a block holds the record. */
export async function viewNow(read: Pick<Repositories, 'ledger'>, record: TransactionRecord): Promise<TransactionView> {
  return viewOf(record, record.blockHeight === null ? 0 : await tipHeightOf(read));
}

export const tipHeightOf = async (read: Pick<Repositories, 'ledger'>): Promise<number> =>
  (await read.ledger.tip())?.height ?? 0;
