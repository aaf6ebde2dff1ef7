import { operation } from '../../hooks/operation.ts';
import type { PsbtService } from '../../services/psbt/psbt-service.ts';
import { PSBT_EXAMPLE } from '../psbt-examples.ts';
import { psbtAnswer } from './psbt-answer.ts';
import { ANYONE_WHO_READS, PSBT_OPERATION } from './psbt-declaration.ts';
import { psbtsBody } from './psbt-requests.ts';

export const combinePsbt = (psbts: Pick<PsbtService, 'combine'>) =>
  operation({
    ...PSBT_OPERATION,
    id: 'psbt.combine',
    path: '/api/psbt/v2/combine',
    summary: 'Put signatures together',
    description: 'All that PSBTs of one transaction hold, in one: what several signers gave, in any order.',
    access: ANYONE_WHO_READS,
    body: psbtsBody,
    success: { status: 200, answer: psbtAnswer, description: 'The PSBT with everything' },
    errors: ['invalid_psbt', 'psbt_mismatch', 'too_large', 'unavailable'],
    example: { body: { psbts: [PSBT_EXAMPLE.psbt, PSBT_EXAMPLE.psbt] }, response: PSBT_EXAMPLE },
    run: ({ body }, context) => psbts.combine(body.psbts, context),
  });
