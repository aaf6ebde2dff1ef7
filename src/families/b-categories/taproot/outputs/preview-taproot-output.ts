import { z } from 'zod';
import { operation } from '../../../../hooks/operation.ts';
import type { TaprootService } from '../../../../services/taproot/index.ts';
import { outputAt } from '../../../../services/taproot/taproot-outputs.ts';
import { answerWith } from '../../../answer.ts';
import { isLargeBody } from '../../../large-body.ts';
import { computes } from '../../declarations.ts';
import { oneTree, TWO_TREES, treeFields, treeOf } from '../script-tree-field.ts';
import { computedExample, computedOutput, internalKeyField, treeExample } from './output-answer.ts';

export const previewTaprootOutput = ({ network }: Pick<TaprootService, 'network'>) =>
  operation({
    ...computes('Taproot', 'taproot'),
    id: 'taproot-output.preview',
    path: '/api/v1/taproot/outputs/preview',
    summary: 'Compute a taproot output without keeping it',
    secretBody: true,
    body: z.strictObject({ internal_key: internalKeyField, ...treeFields }).refine(oneTree, TWO_TREES),
    success: {
      status: 200,
      answer: answerWith(computedOutput, { network }),
      description: 'Output key, address, merkle root and control blocks',
    },
    errors: ['invalid_key', 'invalid_script'],
    example: { body: treeExample, response: computedExample },
    inWorker: isLargeBody,
    run: async ({ body }) => outputAt(body.internal_key, treeOf(body)),
  });
