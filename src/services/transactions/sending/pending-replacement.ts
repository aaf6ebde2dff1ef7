import type { Txid } from '../../../core/outpoint.ts';
import type { TransactionRecord } from '../../../store/records.ts';
import type { Repositories } from '../../../store/store.ts';

/** Who holds the transaction's coins in its stead: a committed replacement (of it, or of one that it spends), or null. */
export async function pendingReplacement(
  read: Pick<Repositories, 'transactions' | 'coins'>,
  { accountId, txid }: Pick<TransactionRecord, 'accountId' | 'txid'>,
): Promise<Txid | null> {
  const inputs = await read.transactions.inputs(accountId, txid);
  const coins = await read.coins.findMany(
    accountId,
    inputs.map((input) => input.prev),
  );
  return coins.find((coin) => coin.spentBy !== null && coin.spentBy !== txid)?.spentBy ?? null;
}
