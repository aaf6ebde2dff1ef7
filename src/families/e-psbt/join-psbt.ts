import { operation } from '../../hooks/operation.ts';
import type { PsbtService } from '../../services/psbt/psbt-service.ts';
import { JOIN_EXAMPLE, JOINED_ANSWER } from '../psbt-examples.ts';
import { psbtAnswer } from './psbt-answer.ts';
import { ANYONE_WHO_READS, PSBT_OPERATION } from './psbt-declaration.ts';
import { psbtsBody } from './psbt-requests.ts';

export const joinPsbt = (psbts: Pick<PsbtService, 'join'>) =>
  operation({
    ...PSBT_OPERATION,
    id: 'psbt.join',
    path: '/api/psbt/v2/join',
    summary: 'Make one transaction of several',
    description:
      'One PSBT with the inputs and outputs of several different ones, in their order. Each must be modifiable as far as the others add to it.',
    access: ANYONE_WHO_READS,
    body: psbtsBody,
    success: { status: 200, answer: psbtAnswer, description: 'The joined PSBT' },
    errors: ['invalid_psbt', 'psbt_mismatch', 'psbt_not_modifiable', 'too_large', 'unavailable'],
    example: { body: { psbts: JOIN_EXAMPLE }, response: JOINED_ANSWER },
    run: ({ body }, context) => psbts.join(body.psbts, context),
  });
