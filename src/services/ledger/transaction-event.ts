import type { UpdateData } from '../../events/update-data.ts';
import type { NewEvent, TransactionRecord } from '../../store/records.ts';

/** The `transactions` channel's update: written wherever a transaction's status or block changes, in the same write job. */
export function transactionEvent(
  transaction: Pick<TransactionRecord, 'accountId' | 'txid' | 'status' | 'blockHeight'>,
  retractsEventId?: bigint | null,
): NewEvent {
  return {
    accountId: transaction.accountId,
    channel: 'transactions',
    ref: transaction.txid,
    data: {
      txid: transaction.txid,
      status: transaction.status,
      block_height: transaction.blockHeight,
    } satisfies UpdateData['transactions'],
    ...(retractsEventId ? { retractsEventId } : {}),
  };
}
