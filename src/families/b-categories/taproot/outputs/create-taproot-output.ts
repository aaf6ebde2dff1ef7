import { z } from 'zod';
import { operation } from '../../../../hooks/operation.ts';
import type { TaprootOutputs } from '../../../../services/taproot/taproot-outputs.ts';
import { writes } from '../../declarations.ts';
import { oneTree, TWO_TREES, treeFields, treeOf } from '../script-tree-field.ts';
import { internalKeyField, namesFields, namesOf, outputExample, taprootOutput, treeExample } from './output-answer.ts';

export const createTaprootOutput = (outputs: TaprootOutputs) =>
  operation({
    ...writes('Taproot', 'taproot'),
    id: 'taproot-output.create',
    spends: [],
    path: '/api/v1/taproot/outputs',
    summary: 'Keep a taproot output',
    description:
      'Computes the output of an internal key and a script tree (BIP341) and keeps both, so that its leaves and their control blocks can be ' +
      'had when it is spent. No wallet watches the address by that: import a watch-only wallet with its descriptor.',
    body: z.strictObject({ internal_key: internalKeyField, ...treeFields, ...namesFields }).refine(oneTree, TWO_TREES),
    success: { status: 201, answer: taprootOutput, description: 'The output' },
    errors: ['invalid_key', 'invalid_script'],
    example: { body: { ...treeExample, name: 'Vault' }, response: outputExample },
    run: ({ body }, context) =>
      outputs.create({ internalKey: body.internal_key, tree: treeOf(body), ...namesOf(body) }, context),
  });
