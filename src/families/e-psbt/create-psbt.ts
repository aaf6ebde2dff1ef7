import { z } from 'zod';
import { operation } from '../../hooks/operation.ts';
import type { PsbtService } from '../../services/psbt/psbt-service.ts';
import { CREATE_EXAMPLE, PSBT_EXAMPLE } from '../psbt-examples.ts';
import { psbtAnswer } from './psbt-answer.ts';
import { ANYONE_WHO_READS, PSBT_OPERATION } from './psbt-declaration.ts';
import { inputDraft, outputDraft } from './psbt-drafts.ts';
import { uint32Field } from './psbt-fields.ts';
import { modifiableField, newInputsField, newOutputsField } from './psbt-requests.ts';

export const createPsbt = (psbts: Pick<PsbtService, 'network' | 'create'>) =>
  operation({
    ...PSBT_OPERATION,
    id: 'psbt.create',
    path: '/api/psbt/v2/create',
    summary: 'Make a PSBT',
    description:
      'A PSBT of version 2 (BIP370) with these inputs and outputs, of which there may be none yet. What signers need to know of an ' +
      'input (the output that it spends, scripts, derivation paths) can be given now or added by update.',
    access: ANYONE_WHO_READS,
    body: z.strictObject({
      inputs: newInputsField,
      outputs: newOutputsField,
      version: z.literal(2).optional().meta({ description: 'Of the PSBT: 2' }),
      tx_version: uint32Field.optional().meta({ description: 'Version of the transaction. Default: 2' }),
      fallback_locktime: uint32Field.optional().meta({ description: 'Locktime where no input requires one' }),
      tx_modifiable: modifiableField.optional(),
    }),
    success: { status: 200, answer: psbtAnswer, description: 'The PSBT' },
    errors: ['invalid_address', 'wrong_network', 'invalid_transaction', 'too_large', 'unavailable'],
    example: { body: CREATE_EXAMPLE, response: PSBT_EXAMPLE },
    run: async ({ body }, context) =>
      psbts.create(
        {
          version: body.tx_version,
          inputs: body.inputs.map((input, index) => inputDraft(input, psbts.network, `inputs[${index}]`)),
          outputs: body.outputs.map((output, index) => outputDraft(output, psbts.network, `outputs[${index}]`)),
          fallbackLocktime: body.fallback_locktime,
          modifiable: body.tx_modifiable,
        },
        context,
      ),
  });
