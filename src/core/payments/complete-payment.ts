import { parseTransaction } from '../blocks/transaction.ts';
import type { Txid } from '../outpoint.ts';
import { spentOutput } from '../psbt/codec/input-fields.ts';
import { extractTransaction } from '../psbt/finalizing/extract-transaction.ts';
import { finalizePsbt } from '../psbt/finalizing/finalize-psbt.ts';
import type { PsbtV2 } from '../psbt/psbt.ts';
import { STANDARD_FLAGS } from '../scripts/interpreter/script-flags.ts';
import { spendVerifier } from '../scripts/interpreter/verify-spend.ts';

export interface CompletePayment {
  readonly raw: Uint8Array;
  /** Not what it was before, where an input has a scriptSig. */
  readonly txid: Txid;
  readonly vsize: number;
}

/**
 * The signed transaction, every input of it run by its scripts; null as long as signatures are missing. Throws where all are there and
 * do not spend: each was checked when it came, so that this is a fault of ours.
 */
export function completePayment(psbt: PsbtV2): CompletePayment | null {
  const finalized = finalizePsbt(psbt);
  if (!finalized.complete) return null;
  const transaction = parseTransaction(extractTransaction(finalized.psbt).raw);
  const spent = psbt.inputs.map((input) => spentOutput(input)!);
  const verify = spendVerifier(transaction, spent, STANDARD_FLAGS);
  for (const index of psbt.inputs.keys()) {
    const verdict = verify(index);
    if (!verdict.valid) throw new Error(`input ${index} was finalized and does not spend its coin: ${verdict.reason}`);
  }
  const { raw, txid, vsize } = transaction;
  return { raw, txid, vsize };
}
