import { psbtFromText, psbtToBase64 } from '../../../core/psbt/codec/psbt-text.ts';
import { toVersion0 } from '../../../core/psbt/construction/migrate.ts';
import { requireV2 } from '../../../core/psbt/require-v2.ts';
import type { Repositories } from '../../../store/store.ts';
import { requireTransaction } from '../get-transaction.ts';
import type { TransactionService } from '../transaction-service.ts';
import { waitingPsbt } from './add-signatures.ts';

export function createGetPsbt(read: Repositories): TransactionService['psbt'] {
  return async (txid, version, context) => {
    const psbt = waitingPsbt(await requireTransaction(read, context.accountId, txid));
    return { psbt: version === 0 ? psbtToBase64(toVersion0(requireV2(psbtFromText(psbt)))) : psbt, version };
  };
}
