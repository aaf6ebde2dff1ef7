import { z } from 'zod';
import { SIGHASH_NAMES } from '../../core/scripts/sighash-type.ts';
import { operation } from '../../hooks/operation.ts';
import type { PsbtService } from '../../services/psbt/psbt-service.ts';
import { EXAMPLE_KEY, PSBT_EXAMPLE, SIGNED_ANSWER } from '../psbt-examples.ts';
import { psbtAnswer } from './psbt-answer.ts';
import { PSBT_OPERATION } from './psbt-declaration.ts';
import { psbtField } from './psbt-fields.ts';

export const signPsbt = (psbts: Pick<PsbtService, 'sign'>) =>
  operation({
    ...PSBT_OPERATION,
    id: 'psbt.sign',
    path: '/api/psbt/v2/sign',
    summary: 'Sign a PSBT with a key',
    description:
      'Signs every input that the key can sign, after the checks that BIP174 tells a signer to make. The key is WIF, 64 hex digits, or ' +
      'an extended private key, which signs the derivation paths of its own fingerprint or of its origin. It is neither stored nor ' +
      'logged. A key that signs nothing is refused (422). Of MuSig2 (BIP373) it is the last participant: with the nonces of all others ' +
      'there, its nonce and partial signature are made at once; `lacks` of an input says which of the two rounds is awaited.',
    access: { scope: 'psbts:write', role: 'operator' },
    secretBody: true,
    body: z.strictObject({
      psbt: psbtField,
      key: z.string().min(1, 'must not be empty').max(600, 'must be a private key').meta({
        description: 'WIF, xprv or tprv ([fingerprint/path] may stand before it), or 64 hex digits',
      }),
      sighash_types_allowed: z
        .array(z.enum(SIGHASH_NAMES))
        .max(SIGHASH_NAMES.length, 'must name each type once')
        .default([])
        .meta({ description: 'Besides ALL and DEFAULT, where the PSBT asks for them' }),
    }),
    success: {
      status: 200,
      schema: psbtAnswer.schema.extend({ signed_inputs: z.array(z.int()) }),
      description: 'The PSBT with the signatures',
    },
    errors: [
      'invalid_psbt',
      'invalid_key',
      'wrong_network',
      'nothing_signed',
      'unsafe_to_sign',
      'psbt_incomplete',
      'too_large',
      'unavailable',
    ],
    example: { body: { psbt: PSBT_EXAMPLE.psbt, key: EXAMPLE_KEY }, response: SIGNED_ANSWER },
    run: ({ body }, context) => psbts.sign(body.psbt, body.key, body.sighash_types_allowed, context),
    present: ({ psbtData, signedInputs }) => ({ ...psbtAnswer.present(psbtData), signed_inputs: signedInputs }),
  });
