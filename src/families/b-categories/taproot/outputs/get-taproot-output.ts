import { operation } from '../../../../hooks/operation.ts';
import type { TaprootOutputs } from '../../../../services/taproot/taproot-outputs.ts';
import { reads } from '../../declarations.ts';
import { outputExample, outputParams, taprootOutput } from './output-answer.ts';

export const getTaprootOutput = (outputs: TaprootOutputs) =>
  operation({
    ...reads('Taproot', 'taproot'),
    id: 'taproot-output.get',
    path: '/api/v1/taproot/outputs/{output_id}',
    summary: 'One taproot output with its leaves',
    params: outputParams,
    success: { status: 200, answer: taprootOutput, description: 'The output' },
    errors: ['not_found'],
    example: { params: { output_id: outputExample.output_id }, response: outputExample },
    run: ({ params }, context) => outputs.get(params.output_id, context),
  });
