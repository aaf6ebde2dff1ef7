import { z } from 'zod';
import type { Unproved } from '../../core/psbt/jobs/psbt-jobs.ts';
import { MAX_INPUTS, MAX_OUTPUTS } from '../../core/psbt/psbt-size.ts';
import { operation } from '../../hooks/operation.ts';
import type { PreviousFacts, PsbtService } from '../../services/psbt/psbt-service.ts';
import { omitUndefined } from '../optional-values.ts';
import { PSBT_EXAMPLE, UPDATE_EXAMPLE } from '../psbt-examples.ts';
import { psbtAnswer } from './psbt-answer.ts';
import { ANYONE_WHO_READS, DESCRIPTOR_ERRORS, PSBT_OPERATION } from './psbt-declaration.ts';
import { inputFactsDraft, outputFactsDraft } from './psbt-drafts.ts';
import { psbtField, uint32Field } from './psbt-fields.ts';
import { descriptorsField, inputFacts, outputFacts } from './psbt-requests.ts';

const indexField = z.int().min(0, 'must be an index').meta({ description: 'Of the input or output that is meant' });

const updateBody = z.strictObject({
  psbt: psbtField,
  inputs: z
    .array(
      z.strictObject({
        index: indexField,
        sequence: uint32Field.optional(),
        ...z.strictObject(inputFacts).partial().shape,
      }),
    )
    .max(MAX_INPUTS, `must have at most ${MAX_INPUTS} inputs`)
    .default([]),
  outputs: z
    .array(z.strictObject({ index: indexField, ...z.strictObject(outputFacts).partial().shape }))
    .max(MAX_OUTPUTS, `must have at most ${MAX_OUTPUTS} outputs`)
    .default([]),
  descriptors: descriptorsField.optional(),
  range: z
    .tuple([z.int().min(0), z.int().max(0x7fffffff)])
    .optional()
    .meta({
      description: 'First and last index of the descriptors that is tried. Default: 0 to 99',
      examples: [[0, 99]],
    }),
  from_chain: z.boolean().default(false).meta({
    description: "Fetch previous transactions from this service's node, of inputs that come without",
  }),
});

export const updatePsbt = (psbts: Pick<PsbtService, 'network' | 'update' | 'unproved' | 'previous'>) =>
  operation({
    ...PSBT_OPERATION,
    id: 'psbt.update',
    path: '/api/psbt/v2/update',
    summary: 'Add what signers need to know',
    description:
      'Previous transactions, scripts and derivation paths, as given by index, as descriptors of a wallet tell them (for every input ' +
      'and output whose script they derive), and as the node knows them (`from_chain`). What is given replaces what is there.',
    access: ANYONE_WHO_READS,
    secretBody: true,
    body: updateBody,
    success: { status: 200, answer: psbtAnswer, description: 'The PSBT with more in it' },
    errors: [
      'invalid_psbt',
      'invalid_address',
      'invalid_transaction',
      'psbt_not_modifiable',
      'too_large',
      'not_found',
      'node_unavailable',
      'node_syncing',
      'unavailable',
      'no_index',
      ...DESCRIPTOR_ERRORS,
    ],
    example: { body: UPDATE_EXAMPLE, response: PSBT_EXAMPLE },
    asks: async ({ psbt, from_chain }, context) => (from_chain ? psbts.unproved(psbt, context) : null),
    lookUp: (asked, context) => psbts.previous(asked as readonly Unproved[], context),
    run: async ({ body, found }, context) => {
      const { descriptors } = body;
      return psbts.update(
        body.psbt,
        {
          inputs: body.inputs.map((facts, at) => ({
            index: facts.index,
            ...omitUndefined({ sequence: facts.sequence }),
            ...inputFactsDraft(facts, psbts.network, `inputs[${at}]`),
          })),
          outputs: body.outputs.map((facts) => ({ index: facts.index, ...outputFactsDraft(facts) })),
          ...(descriptors === undefined
            ? {}
            : { descriptors: { descriptors, network: psbts.network, range: body.range } }),
        },
        { descriptors: descriptors ?? [], previous: (found as PreviousFacts | null) ?? [] },
        context,
      );
    },
  });
