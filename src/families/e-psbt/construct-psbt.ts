import { z } from 'zod';
import { DomainError } from '../../core/errors.ts';
import { MAX_INPUTS, MAX_OUTPUTS } from '../../core/psbt/psbt-size.ts';
import { operation } from '../../hooks/operation.ts';
import type { PsbtService } from '../../services/psbt/psbt-service.ts';
import { CONSTRUCT_EXAMPLE, CONSTRUCTED_ANSWER } from '../psbt-examples.ts';
import { psbtAnswer } from './psbt-answer.ts';
import { ANYONE_WHO_READS, PSBT_OPERATION } from './psbt-declaration.ts';
import { inputDraft, outputDraft } from './psbt-drafts.ts';
import { psbtField } from './psbt-fields.ts';
import { newInputsField, newOutputsField } from './psbt-requests.ts';

const indexes = (max: number) =>
  z.array(z.int().min(0, 'must be an index')).max(max, `must have at most ${max} indexes`).default([]);

export const constructPsbt = (psbts: Pick<PsbtService, 'network' | 'construct'>) =>
  operation({
    ...PSBT_OPERATION,
    id: 'psbt.construct',
    path: '/api/psbt/v2/construct',
    summary: 'Add and remove inputs and outputs',
    description:
      "BIP370's constructor, as far as tx_modifiable and the signatures that are there allow. Indexes to remove are those of the PSBT as " +
      'it is sent; what is added comes last.',
    access: ANYONE_WHO_READS,
    body: z.strictObject({
      psbt: psbtField,
      add_inputs: newInputsField.default([]),
      add_outputs: newOutputsField.default([]),
      remove_inputs: indexes(MAX_INPUTS),
      remove_outputs: indexes(MAX_OUTPUTS),
    }),
    success: { status: 200, answer: psbtAnswer, description: 'The changed PSBT' },
    errors: [
      'invalid_psbt',
      'invalid_address',
      'wrong_network',
      'invalid_transaction',
      'psbt_not_modifiable',
      'psbt_mismatch',
      'too_large',
      'unavailable',
    ],
    example: { body: CONSTRUCT_EXAMPLE, response: CONSTRUCTED_ANSWER },
    run: async ({ body }, context) => {
      const changes = {
        addInputs: body.add_inputs.map((input, index) => inputDraft(input, psbts.network, `add_inputs[${index}]`)),
        addOutputs: body.add_outputs.map((output, index) =>
          outputDraft(output, psbts.network, `add_outputs[${index}]`),
        ),
        removeInputs: body.remove_inputs,
        removeOutputs: body.remove_outputs,
      };
      return psbts.construct(body.psbt, changes, context).catch(refuseAsRequested);
    },
  });

/** Names the request's fields in the place of the core's. */
function refuseAsRequested(error: unknown): never {
  const { field = '' } = error instanceof DomainError ? error.details : {};
  const named = field
    .replace(/^(?=(in|out)puts\[)/, 'add_')
    .replace(/^remove(In|Out)puts/, (_, way: string) => `remove_${way.toLowerCase()}puts`);
  throw error instanceof DomainError && named !== field ? error.at(named) : error;
}
