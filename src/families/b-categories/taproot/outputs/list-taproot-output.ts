import { z } from 'zod';
import { operation } from '../../../../hooks/operation.ts';
import type { TaprootOutputs } from '../../../../services/taproot/taproot-outputs.ts';
import { pageExample, paginated } from '../../../answer.ts';
import { externalIdField, nameField, pageQuery } from '../../../fields.ts';
import { omitUndefined, pageOf } from '../../../optional-values.ts';
import { reads } from '../../declarations.ts';
import { listedExample, listedOutput } from './output-answer.ts';

export const listTaprootOutput = (outputs: TaprootOutputs) =>
  operation({
    ...reads('Taproot', 'taproot'),
    id: 'taproot-output.list',
    path: '/api/v1/taproot/outputs',
    summary: "The account's taproot outputs",
    description: 'Without their leaves, which each has by itself.',
    query: z.strictObject({
      ...pageQuery,
      name: nameField.optional(),
      external_id: externalIdField.optional(),
      address: z.string().min(1, 'must not be empty').max(90, 'must have at most 90 characters').optional(),
    }),
    success: { status: 200, answer: paginated(listedOutput), description: 'A page of outputs, newest first' },
    example: {
      query: { limit: '20' },
      response: pageExample(listedExample),
    },
    run: ({ query: { name, external_id: externalId, address, ...page } }, context) =>
      outputs.list(omitUndefined({ name, externalId, address }), pageOf(page), context),
  });
