import { z } from 'zod';
import { DomainError } from '../../core/errors.ts';
import { type FeeRate, feeRateOf, formatFeeRate } from '../../core/fee-rate.ts';
import { type ExtractedTransaction, extractTransaction } from '../../core/psbt/extract-transaction.ts';
import { operation } from '../../hooks/operation.ts';
import type { PsbtService } from '../../services/psbt/psbt-service.ts';
import { feeRateField } from '../fields.ts';
import { finalPsbtAnswer, presentFinalPsbt } from './psbt-answer.ts';
import { ANYONE_WHO_READS, PSBT_OPERATION, psbtV2Of } from './psbt-declaration.ts';
import { EXTRACTED_ANSWER, FINAL_EXAMPLE } from './psbt-examples.ts';
import { psbtField } from './psbt-fields.ts';

export const extractPsbt = (psbts: Pick<PsbtService, 'inspect'>) =>
  operation({
    ...PSBT_OPERATION,
    id: 'psbt.extract',
    path: '/api/psbt/v2/extract',
    summary: 'Take the transaction out of a final PSBT',
    description:
      'Every input must be final: finalize says what is missing. With `max_fee_rate` a transaction that pays more is refused (422), and ' +
      'one whose fee cannot be computed.',
    access: ANYONE_WHO_READS,
    body: z.strictObject({ psbt: psbtField, max_fee_rate: feeRateField.optional() }),
    success: { status: 200, schema: finalPsbtAnswer, description: 'The transaction, in hex' },
    errors: ['invalid_psbt', 'psbt_incomplete', 'fee_too_high', 'too_large'],
    example: { body: { psbt: FINAL_EXAMPLE }, response: EXTRACTED_ANSWER },
    run: async ({ body }) => {
      const psbt = psbtV2Of(body.psbt);
      const extracted = extractTransaction(psbt);
      if (body.max_fee_rate !== undefined) refuseHighFee(extracted, body.max_fee_rate);
      return { view: psbts.inspect(psbt), extracted };
    },
    present: ({ view, extracted }) => presentFinalPsbt(view, extracted),
  });

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
