import { z } from 'zod';
import { operation } from '../../hooks/operation.ts';
import type { PsbtService } from '../../services/psbt/psbt-service.ts';
import { feeCeilingField, feeCeilingOf } from '../fields.ts';
import { FINALIZED_ANSWER, SIGNED_EXAMPLE } from '../psbt-examples.ts';
import { refuseHighFee } from './fee-guard.ts';
import { finalPsbtAnswer } from './psbt-answer.ts';
import { ANYONE_WHO_READS, PSBT_OPERATION } from './psbt-declaration.ts';
import { psbtField } from './psbt-fields.ts';

export const finalizePsbt = (psbts: Pick<PsbtService, 'finalize'>) =>
  operation({
    ...PSBT_OPERATION,
    id: 'psbt.finalize',
    path: '/api/psbt/v2/finalize',
    summary: 'Make signatures into a transaction',
    description:
      'Every input whose signatures suffice becomes final. Where all are, `complete` is true and `transaction` is what a node takes; ' +
      'otherwise `not_final` says of each other input what it lacks. A complete one that pays more than `max_fee_rate` by what the PSBT ' +
      'says is refused (422).',
    access: ANYONE_WHO_READS,
    body: z.strictObject({ psbt: psbtField, max_fee_rate: feeCeilingField }),
    success: {
      status: 200,
      schema: finalPsbtAnswer.schema.extend({ not_final: z.array(z.object({ index: z.int(), reason: z.string() })) }),
      description: 'The PSBT, and the transaction where it is complete',
    },
    errors: ['invalid_psbt', 'psbt_incomplete', 'fee_too_high', 'too_large', 'unavailable'],
    example: { body: { psbt: SIGNED_EXAMPLE }, response: FINALIZED_ANSWER },
    run: async ({ body }, context) => {
      const made = await psbts.finalize(body.psbt, context);
      if (made.extracted) refuseHighFee(made.extracted, feeCeilingOf(body.max_fee_rate));
      return made;
    },
    present: ({ missing, ...made }) => ({ ...finalPsbtAnswer.present(made), not_final: [...missing] }),
  });
