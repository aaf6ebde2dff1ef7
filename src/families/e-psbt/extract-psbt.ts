import { z } from 'zod';
import { DomainError } from '../../core/errors.ts';
import { operation } from '../../hooks/operation.ts';
import type { PsbtService } from '../../services/psbt/psbt-service.ts';
import { feeCeilingField, feeCeilingOf } from '../fields.ts';
import { EXTRACTED_ANSWER, FINAL_EXAMPLE } from '../psbt-examples.ts';
import { refuseHighFee } from './fee-guard.ts';
import { finalPsbtAnswer } from './psbt-answer.ts';
import { ANYONE_WHO_READS, PSBT_OPERATION } from './psbt-declaration.ts';
import { psbtField } from './psbt-fields.ts';

export const extractPsbt = (psbts: Pick<PsbtService, 'extract'>) =>
  operation({
    ...PSBT_OPERATION,
    id: 'psbt.extract',
    path: '/api/psbt/v2/extract',
    summary: 'Take the transaction out of a final PSBT',
    description:
      'Every input must be final: finalize says what is missing. A transaction that pays more than `max_fee_rate` by what the PSBT says ' +
      'is refused (422). Where the request says `max_fee_rate`, so is one whose fee is not proved: each amount by the previous ' +
      'transaction, or by a witness that is valid for it. Otherwise `fee_verified` tells whether the fee is more than a word.',
    access: ANYONE_WHO_READS,
    body: z.strictObject({ psbt: psbtField, max_fee_rate: feeCeilingField }),
    success: { status: 200, answer: finalPsbtAnswer, description: 'The transaction, in hex' },
    errors: ['invalid_psbt', 'psbt_incomplete', 'fee_too_high', 'too_large', 'unavailable'],
    example: { body: { psbt: FINAL_EXAMPLE }, response: EXTRACTED_ANSWER },
    run: async ({ body }, context) => {
      const proveFee = body.max_fee_rate !== undefined && body.max_fee_rate !== 'none';
      const made = await psbts.extract(body.psbt, { proveFee }, context);
      if (proveFee) refuseUnknownFee(made.extracted.feeSats);
      refuseHighFee(made.extracted, feeCeilingOf(body.max_fee_rate));
      refuseUnprovedFee(made.unproved);
      return made;
    },
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

function refuseUnknownFee(feeSats: bigint | null): void {
  if (feeSats !== null) return;
  throw new DomainError('psbt_incomplete', 'the fee cannot be computed: the UTXO of an input is not in the PSBT', {
    field: 'psbt',
  });
}
