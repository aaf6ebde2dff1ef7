import { z } from 'zod';
import { operation } from '../../hooks/operation.ts';
import type { PsbtService } from '../../services/psbt/psbt-service.ts';
import { PSBT_EXAMPLE } from '../psbt-examples.ts';
import { psbtAnswer } from './psbt-answer.ts';
import { ANYONE_WHO_READS, DESCRIPTOR_ERRORS, PSBT_OPERATION } from './psbt-declaration.ts';
import { psbtField } from './psbt-fields.ts';
import { descriptorsField } from './psbt-requests.ts';

export const decodePsbt = (psbts: Pick<PsbtService, 'inspect'>) =>
  operation({
    ...PSBT_OPERATION,
    id: 'psbt.decode',
    path: '/api/psbt/v2/decode',
    summary: 'Read a PSBT',
    description:
      'Of each input and output: address, amount, script type, who has signed, what is missing. With the descriptors of a wallet it ' +
      'says which outputs are proved to be its change. `warnings` has what somebody who is asked to sign should know.',
    access: ANYONE_WHO_READS,
    secretBody: true,
    body: z.strictObject({ psbt: psbtField, descriptors: descriptorsField.optional() }),
    success: { status: 200, answer: psbtAnswer, description: 'What it says' },
    errors: ['invalid_psbt', 'too_large', 'unavailable', ...DESCRIPTOR_ERRORS],
    example: { body: { psbt: PSBT_EXAMPLE.psbt }, response: PSBT_EXAMPLE },
    run: ({ body }, context) => psbts.inspect(body.psbt, body.descriptors ?? [], context),
  });
