import { z } from 'zod';
import { operation } from '../../../../hooks/operation.ts';
import type { TaprootService } from '../../../../services/taproot/index.ts';
import { unnamedAnswer } from '../../../answer.ts';
import { computes } from '../../declarations.ts';
import { bytesAnswer, bytesField, keyField, messageField, taprootOf, taprootTweakField } from '../taproot-fields.ts';

export const createTaprootSignature = ({ signMessage }: Pick<TaprootService, 'signMessage'>) =>
  operation({
    ...computes('Taproot', 'taproot'),
    id: 'taproot-signature.create',
    path: '/api/v1/taproot/signatures',
    summary: 'Sign a message (BIP340)',
    description:
      'With `taproot` the key is tweaked first, as the key path of an output is signed for. The key is used for this answer and forgotten.',
    access: { scope: 'taproot:write', role: 'operator' },
    secretBody: true,
    body: z.strictObject({
      key: keyField,
      message: messageField,
      aux: bytesField('auxiliary randomness', 32).optional().meta({ description: 'Random unless given' }),
      taproot: taprootTweakField.optional(),
    }),
    success: {
      status: 200,
      answer: unnamedAnswer({
        signature: bytesAnswer('Schnorr signature, 64 bytes'),
        public_key: bytesAnswer('x-only key that it verifies under: with taproot the output key'),
        message: bytesAnswer('What was signed'),
      }),
      description: 'The signature',
    },
    errors: ['invalid_key', 'wrong_network'],
    example: {
      body: {
        key: 'b7e151628aed2a6abf7158809cf4f3c762e7160f38b4da56a784d9045190cfef',
        message: '243f6a8885a308d313198a2e03707344a4093822299f31d0082efa98ec4e6c89',
        aux: '0000000000000000000000000000000000000000000000000000000000000001',
      },
      response: {
        signature:
          '6896bd60eeae296db48a229ff71dfe071bde413e6d43f917dc8dcf8c78de33418906d11ac976abccb20b091292bff4ea897efcb639ea871cfa95f6de339e4b0a',
        public_key: 'dff1d77f2a671c5f36183726db2341be58feae1da2deced843240f7b502ba659',
        message: '243f6a8885a308d313198a2e03707344a4093822299f31d0082efa98ec4e6c89',
      },
    },
    run: async ({ body: { key, message, aux, taproot } }) => ({
      ...signMessage({ key, message, auxiliaryRandomness: aux ?? null, taproot: taprootOf(taproot) }),
      message,
    }),
  });
