import { completePayment } from '../../../core/payments/complete-payment.ts';
import { psbtFromText, psbtToBase64 } from '../../../core/psbt/codec/psbt-text.ts';
import { toVersion2 } from '../../../core/psbt/construction/migrate.ts';
import type { PsbtV2 } from '../../../core/psbt/psbt.ts';
import { requireV2 } from '../../../core/psbt/require-v2.ts';
import { mergeSignatures } from '../../../core/psbt/signatures/merge-signatures.ts';
import type { TransactionRecord } from '../../../store/records.ts';
import { updateAnswer } from '../../requests/idempotency.ts';
import { recordRequest } from '../../requests/record-request.ts';
import { ClaimConflict } from '../coins/claim-conflict.ts';
import { requireTransaction } from '../get-transaction.ts';
import { type CommitDependencies, retried } from '../sending/commit-and-send.ts';
import type { TransactionService } from '../transaction-service.ts';
import { assertAllows } from '../transaction-states.ts';
import { viewNow, viewOf } from '../transaction-view.ts';
import { commitSigned } from './commit-signed.ts';

/**
 * Signatures are checked and put together outside the write job, against the PSBT as it was read; in the job, which holds the record,
 * that must be the PSBT that still stands, or all is done again. So whoever sends at the same moment, here or in another process, nobody's
 * signature is lost, and one of them sends the last.
 */
export function createAddSignatures(deps: Omit<CommitDependencies, 'scripts'>): TransactionService['addSignatures'] {
  const { store, clock } = deps;

  return async (txid, text, context) => {
    const { accountId } = context;
    const given = version2(text);
    const record = await retried(async () => {
      const read = await requireTransaction(store.read, accountId, txid);
      const merged = mergeSignatures(waitingPsbt(read), given);
      const complete = completePayment(merged);
      return store.write(async (tx) => {
        const held = await tx.transactions.hold(accountId, read.txid);
        if (held) assertAllows('sign', held);
        if (held?.psbt !== read.psbt) throw new ClaimConflict([]);
        const now = clock();
        const after = complete
          ? await commitSigned(tx, held as TransactionRecord, complete, now)
          : { ...(held as TransactionRecord), psbt: psbtToBase64(merged), updatedAt: now };
        if (!complete) await tx.transactions.update(accountId, read.txid, { psbt: after.psbt, updatedAt: now });
        await recordRequest(tx, context, { result: viewOf(after, 0), target: after.txid });
        return after;
      });
    });
    if (record.status !== 'signed') return viewOf(record, 0);
    const sent = await deps.sender.send(record, async (tx, settled) =>
      updateAnswer(tx, context, await viewNow(deps.tipHeight, settled)),
    );
    return viewNow(deps.tipHeight, sent);
  };
}

/** Of version 2 whatever came: Bitcoin Core and older devices answer version 0. */
function version2(text: string): PsbtV2 {
  const psbt = psbtFromText(text);
  return psbt.version === 0 ? toVersion2(psbt) : psbt;
}

/** The PSBT of a payment that waits for signatures. Throws `state_conflict`. */
export function waitingPsbt(record: TransactionRecord): PsbtV2 {
  assertAllows('sign', record);
  if (record.psbt === null) throw new Error(`transaction ${record.txid} waits for signatures and has no PSBT`);
  return requireV2(psbtFromText(record.psbt));
}
