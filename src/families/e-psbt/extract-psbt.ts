import { z } from 'zod';
import { DomainError } from '../../core/errors.ts';
import { type FeeRate, feeRateOf, formatFeeRate } from '../../core/fee-rate.ts';
import type { PlainExtracted } from '../../core/psbt/jobs/psbt-jobs.ts';
import { operation } from '../../hooks/operation.ts';
import type { PsbtService } from '../../services/psbt/psbt-service.ts';
import { feeRateField } from '../fields.ts';
import { finalPsbtAnswer, presentFinalPsbt } from './psbt-answer.ts';
import { ANYONE_WHO_READS, PSBT_OPERATION } from './psbt-declaration.ts';
import { EXTRACTED_ANSWER, FINAL_EXAMPLE } from './psbt-examples.ts';
import { psbtField } from './psbt-fields.ts';

export const extractPsbt = (psbts: Pick<PsbtService, 'extract'>) =>
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
    errors: ['invalid_psbt', 'psbt_incomplete', 'fee_too_high', 'too_large', 'unavailable'],
    example: { body: { psbt: FINAL_EXAMPLE }, response: EXTRACTED_ANSWER },
    run: async ({ body }, context) => {
      const made = await psbts.extract(body.psbt, { proveFee: body.max_fee_rate !== undefined }, context);
      if (body.max_fee_rate !== undefined) refuseHighFee(made.extracted, body.max_fee_rate);
      refuseUnprovedFee(made.unproved);
      return made;
    },
    present: ({ said, extracted }) => presentFinalPsbt(said, extracted),
  });

/** `unproved`: the first input whose amount is somebody's word; null: none. */
function refuseUnprovedFee(unproved: number | null): void {
  if (unproved === null) return;
  throw new DomainError(
    'psbt_incomplete',
    `the fee is not proved: give the previous transaction (non_witness_utxo) of input ${unproved}, as update with from_chain does`,
    { field: 'psbt' },
  );
}

function refuseHighFee({ feeSats, vsize }: PlainExtracted, most: FeeRate): void {
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
