import { z } from 'zod';
import { operation } from '../../../../hooks/operation.ts';
import type { TaprootOutputs } from '../../../../services/taproot/taproot-outputs.ts';
import { writes } from '../../declarations.ts';
import { outputExample, outputParams } from './output-answer.ts';

export const deleteTaprootOutput = (outputs: TaprootOutputs) =>
  operation({
    ...writes('Taproot', 'taproot'),
    id: 'taproot-output.delete',
    spends: [],
    method: 'DELETE',
    path: '/api/v1/taproot/outputs/{output_id}',
    summary: 'Forget a taproot output',
    description:
      'Refused where a wallet of the account watches its script. Otherwise the service cannot know whether it was paid: where it may have ' +
      'been, keep what GET answers, which has the leaves.',
    params: outputParams,
    success: { status: 204, schema: z.undefined(), description: 'Gone' },
    errors: ['not_found', 'state_conflict'],
    example: { params: { output_id: outputExample.output_id } },
    run: ({ params }, context) => outputs.delete(params.output_id, context),
    present: () => undefined,
  });
