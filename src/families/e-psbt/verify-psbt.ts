import { z } from 'zod';
import type { PsbtCheck } from '../../core/psbt/inspection/psbt-checks.ts';
import type { SpentOutput } from '../../core/psbt/jobs/psbt-jobs.ts';
import { operation } from '../../hooks/operation.ts';
import type { PsbtService } from '../../services/psbt/psbt-service.ts';
import { PSBT_EXAMPLE, VERIFIED_ANSWER } from '../psbt-examples.ts';
import { psbtAnswer } from './psbt-answer.ts';
import { ANYONE_WHO_READS, DESCRIPTOR_ERRORS, PSBT_OPERATION } from './psbt-declaration.ts';
import { psbtField } from './psbt-fields.ts';
import { descriptorsField } from './psbt-requests.ts';

const checkAnswer = z.object({
  check: z.string().meta({
    description:
      'outpoints, locktime, fee of the whole; utxo, scripts, sighash, signature, final, chain of an input; output, dust of an output',
  }),
  input: z.int().nullable(),
  output: z.int().nullable(),
  verdict: z.enum(['passed', 'warning', 'failed', 'unknown']),
  detail: z.string(),
});

export const verifyPsbt = (psbts: Pick<PsbtService, 'verify' | 'spent' | 'againstChain'>) =>
  operation({
    ...PSBT_OPERATION,
    id: 'psbt.verify',
    path: '/api/psbt/v2/verify',
    summary: 'Check a PSBT',
    description:
      'Every check with its verdict: outputs that are spent, scripts, hash types, signatures, fee, dust, locktime, and whether final ' +
      'inputs satisfy their scripts, which are run. With `against_chain` also whether the node has what is spent, unspent and of that ' +
      'amount. `valid` says that nothing failed.',
    access: ANYONE_WHO_READS,
    secretBody: true,
    body: z.strictObject({
      psbt: psbtField,
      descriptors: descriptorsField.optional(),
      against_chain: z.boolean().default(false),
    }),
    success: {
      status: 200,
      schema: psbtAnswer.schema.extend({
        valid: z.boolean().meta({ description: 'Nothing failed; warnings and unknowns may be left' }),
        checks: z.array(checkAnswer),
      }),
      description: 'The verdicts',
    },
    errors: [
      'invalid_psbt',
      'too_large',
      'node_unavailable',
      'node_syncing',
      'unavailable',
      'no_index',
      ...DESCRIPTOR_ERRORS,
    ],
    example: { body: { psbt: PSBT_EXAMPLE.psbt }, response: VERIFIED_ANSWER },
    asks: async ({ psbt, against_chain }, context) => (against_chain ? psbts.spent(psbt, context) : null),
    lookUp: (asked, context) => psbts.againstChain(asked as readonly SpentOutput[], context),
    run: ({ body, found }, context) =>
      psbts.verify(
        body.psbt,
        {
          descriptors: body.descriptors ?? [],
          chainChecks: (found as PsbtCheck[] | null) ?? [],
        },
        context,
      ),
    present: ({ psbtData, valid, checks }) => ({
      ...psbtAnswer.present(psbtData),
      valid,
      checks: checks.map(({ check, map, index, verdict, detail }) => ({
        check,
        input: map === 'input' ? index : null,
        output: map === 'output' ? index : null,
        verdict,
        detail,
      })),
    }),
  });
