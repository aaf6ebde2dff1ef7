import { z } from 'zod';
import { DomainError } from '../../core/errors.ts';
import { modifyPsbt, type PsbtChanges } from '../../core/psbt/modify-psbt.ts';
import type { PsbtV2 } from '../../core/psbt/psbt.ts';
import { operation } from '../../hooks/operation.ts';
import type { PsbtService } from '../../services/psbt/psbt-service.ts';
import { MAX_INPUTS, MAX_OUTPUTS } from '../../services/psbt/psbt-size.ts';
import { presentPsbt, psbtAnswer } from './psbt-answer.ts';
import { ANYONE_WHO_READS, PSBT_OPERATION, psbtV2Of } from './psbt-declaration.ts';
import { inputDraft, outputDraft } from './psbt-drafts.ts';
import { CONSTRUCT_EXAMPLE, CONSTRUCTED_ANSWER } from './psbt-examples.ts';
import { psbtField } from './psbt-fields.ts';
import { newInputsField, newOutputsField } from './psbt-requests.ts';

const indexes = (max: number) =>
  z.array(z.int().min(0, 'must be an index')).max(max, `must have at most ${max} indexes`).default([]);

export const constructPsbt = (psbts: Pick<PsbtService, 'network' | 'inspect'>) =>
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
    success: { status: 200, schema: psbtAnswer, description: 'The changed PSBT' },
    errors: [
      'invalid_psbt',
      'invalid_address',
      'wrong_network',
      'invalid_transaction',
      'psbt_not_modifiable',
      'psbt_mismatch',
      'too_large',
    ],
    example: { body: CONSTRUCT_EXAMPLE, response: CONSTRUCTED_ANSWER },
    run: async ({ body }) => {
      const psbt = psbtV2Of(body.psbt);
      requireIndexes(body.remove_inputs, psbt.inputs.length, 'remove_inputs');
      requireIndexes(body.remove_outputs, psbt.outputs.length, 'remove_outputs');
      return psbts.inspect(
        modified(psbt, {
          addInputs: body.add_inputs.map((input, index) => inputDraft(input, psbts.network, `add_inputs[${index}]`)),
          addOutputs: body.add_outputs.map((output, index) =>
            outputDraft(output, psbts.network, `add_outputs[${index}]`),
          ),
          removeInputs: body.remove_inputs,
          removeOutputs: body.remove_outputs,
        }),
      );
    },
    present: presentPsbt,
  });

/** Names the request's fields in the place of the core's. */
function modified(psbt: PsbtV2, changes: PsbtChanges): PsbtV2 {
  try {
    return modifyPsbt(psbt, changes);
  } catch (error) {
    const { field = '' } = error instanceof DomainError ? error.details : {};
    if (error instanceof DomainError && /^(in|out)puts\[/.test(field)) throw error.at(`add_${field}`);
    throw error;
  }
}

function requireIndexes(wanted: readonly number[], count: number, field: string): void {
  const at = wanted.findIndex((index) => index >= count);
  if (at >= 0)
    throw new DomainError('invalid_value', `${field}[${at}] is ${wanted[at]}, and there are ${count} from 0 on`, {
      field: `${field}[${at}]`,
    });
}
