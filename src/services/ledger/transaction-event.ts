import { formatBtc } from '../../core/amount.ts';
import type { UpdateData } from '../../core/events/channels.ts';
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

/** Written beside the first update of a payment that comes from outside. */
export const depositEvent = ({
  accountId,
  txid,
  walletId,
  amountSats,
  blockHeight,
}: Pick<TransactionRecord, 'accountId' | 'txid' | 'walletId' | 'amountSats' | 'blockHeight'>): NewEvent => ({
  accountId,
  channel: 'deposits',
  ref: txid,
  data: {
    ...{ txid, wallet_id: walletId, amount: formatBtc(amountSats), block_height: blockHeight },
  } satisfies UpdateData['deposits'],
});
