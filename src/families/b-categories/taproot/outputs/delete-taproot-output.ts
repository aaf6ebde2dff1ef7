import { operation } from '../../../../hooks/operation.ts';
import type { TaprootOutputs } from '../../../../services/taproot/taproot-outputs.ts';
import { outputAnswer, outputExample, outputParams, presentOutput } from './output-answer.ts';

export const deleteTaprootOutput = (outputs: TaprootOutputs) =>
  operation({
    id: 'taproot-output.delete',
    family: 'b',
    method: 'DELETE',
    path: '/api/v1/taproot/outputs/{output_id}',
    summary: 'Forget a taproot output',
    description:
      'Refused where a wallet of the account watches its script. Otherwise the service cannot know whether it was paid: keep the answer, ' +
      'which has the leaves, where it may have been.',
    tag: 'Taproot',
    effect: 'write',
    access: { scope: 'taproot:write', role: 'operator' },
    limitClass: 'standard',
    idempotent: true,
    params: outputParams,
    success: { status: 200, schema: outputAnswer, description: 'The output as it was' },
    errors: ['not_found', 'state_conflict'],
    example: { params: { output_id: outputExample.output_id }, response: outputExample },
    run: ({ params }, context) => outputs.delete(params.output_id, context),
    present: presentOutput,
  });
