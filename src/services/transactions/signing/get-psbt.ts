import { psbtToBase64 } from '../../../core/psbt/codec/psbt-text.ts';
import { toVersion0 } from '../../../core/psbt/construction/migrate.ts';
import type { Repositories } from '../../../store/store.ts';
import { requireTransaction } from '../get-transaction.ts';
import type { TransactionService } from '../transaction-service.ts';
import { waitingPsbt } from './add-signatures.ts';

export function createGetPsbt(read: Repositories): TransactionService['psbt'] {
  return async (txid, version, context) => {
    const psbt = waitingPsbt(await requireTransaction(read, context.accountId, txid));
    return { psbt: psbtToBase64(version === 0 ? toVersion0(psbt) : psbt), version };
  };
}
