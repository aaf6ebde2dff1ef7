import { z } from 'zod';
import { operation } from '../../../../hooks/operation.ts';
import type { TaprootOutputs } from '../../../../services/taproot/taproot-outputs.ts';
import { writes } from '../../declarations.ts';
import { namesFields, namesOf, outputExample, outputParams, taprootOutput } from './output-answer.ts';

export const updateTaprootOutput = (outputs: TaprootOutputs) =>
  operation({
    ...writes('Taproot', 'taproot'),
    id: 'taproot-output.update',
    spends: [],
    method: 'PUT',
    path: '/api/v1/taproot/outputs/{output_id}',
    summary: 'Call a taproot output otherwise',
    description:
      'Replaces all that can change: what is not given becomes null. Internal key and script tree are what the address is made of and never ' +
      'change; another key or tree is another output.',
    params: outputParams,
    body: z.strictObject(namesFields),
    success: { status: 200, answer: taprootOutput, description: 'The output' },
    errors: ['not_found'],
    example: {
      params: { output_id: outputExample.output_id },
      body: { name: 'Vault', external_id: 'customer-7' },
      response: { ...outputExample, external_id: 'customer-7', updated_at: '2026-11-02T09:30:00.000Z' },
    },
    run: ({ params, body }, context) => outputs.rename(params.output_id, namesOf(body), context),
  });
