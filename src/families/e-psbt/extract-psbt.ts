import { z } from 'zod';
import { DomainError } from '../../core/errors.ts';
import { type FeeRate, feeRateOf, formatFeeRate } from '../../core/fee-rate.ts';
import { type ExtractedTransaction, extractTransaction } from '../../core/psbt/extract-transaction.ts';
import { INPUT } from '../../core/psbt/key-types.ts';
import { operation } from '../../hooks/operation.ts';
import type { PsbtService, VerifiedPsbt } from '../../services/psbt/psbt-service.ts';
import { feeRateField } from '../fields.ts';
import { finalPsbtAnswer, presentFinalPsbt } from './psbt-answer.ts';
import { ANYONE_WHO_READS, PSBT_OPERATION, psbtV2Of } from './psbt-declaration.ts';
import { EXTRACTED_ANSWER, FINAL_EXAMPLE } from './psbt-examples.ts';
import { psbtField } from './psbt-fields.ts';

export const extractPsbt = (psbts: Pick<PsbtService, 'inspect' | 'verify'>) =>
  operation({
    ...PSBT_OPERATION,
    id: 'psbt.extract',
    path: '/api/psbt/v2/extract',
    summary: 'Take the transaction out of a final PSBT',
    description:
      'Every input must be final: finalize says what is missing. With `max_fee_rate` a transaction that pays more is refused (422), and ' +
      'one whose fee is not proved: each amount by the previous transaction, or by a witness that is valid for it.',
    access: ANYONE_WHO_READS,
    body: z.strictObject({ psbt: psbtField, max_fee_rate: feeRateField.optional() }),
    success: { status: 200, schema: finalPsbtAnswer, description: 'The transaction, in hex' },
    errors: ['invalid_psbt', 'psbt_incomplete', 'fee_too_high', 'too_large'],
    example: { body: { psbt: FINAL_EXAMPLE }, response: EXTRACTED_ANSWER },
    run: async ({ body }) => {
      const psbt = psbtV2Of(body.psbt);
      const extracted = extractTransaction(psbt);
      if (body.max_fee_rate === undefined) return { view: psbts.inspect(psbt), extracted };
      const verified = await psbts.verify(psbt, { descriptors: [], againstChain: false });
      refuseHighFee(extracted, body.max_fee_rate);
      refuseUnprovedFee(verified);
      return { view: verified.view, extracted };
    },
    present: ({ view, extracted }) => presentFinalPsbt(view, extracted),
  });

/**
 * A witness UTXO is somebody's word, and the fee is what it makes of it. Signatures in witnesses commit to their input's amount (BIP143,
 * BIP341), so that one which holds proves it; signatures from before segwit prove nothing.
 */
function refuseUnprovedFee({ view, checks }: VerifiedPsbt): void {
  const satisfied = new Set(
    checks.flatMap(({ check, verdict, index }) => (check === 'final' && verdict === 'passed' ? [index] : [])),
  );
  const at = view.inputs.findIndex(
    ({ amountVerified }, index) =>
      !amountVerified && !(satisfied.has(index) && view.psbt.inputs[index]?.has(INPUT.FINAL_SCRIPTWITNESS)),
  );
  if (at >= 0)
    throw new DomainError(
      'psbt_incomplete',
      `the fee is not proved: give the previous transaction (non_witness_utxo) of input ${at}, as update with from_chain does`,
      { field: 'psbt' },
    );
}

function refuseHighFee({ feeSats, vsize }: ExtractedTransaction, most: FeeRate): void {
  if (feeSats === null)
    throw new DomainError('psbt_incomplete', 'the fee cannot be computed: the UTXO of an input is not in the PSBT', {
      field: 'psbt',
    });
  const rate = feeSats > 0n ? feeRateOf(feeSats, vsize) : (0n as FeeRate);
  if (rate > most)
    throw new DomainError(
      'fee_too_high',
      `the transaction pays ${formatFeeRate(rate)} sat/vB, more than the ${formatFeeRate(most)} that are allowed`,
      { field: 'max_fee_rate' },
    );
}
