import { z } from 'zod';
import { operation } from '../../../../hooks/operation.ts';
import type { MessageService } from '../../../../services/messages/message-service.ts';
import { unnamedAnswer } from '../../../answer.ts';
import { computes } from '../../declarations.ts';
import { addressField, EXAMPLE, EXAMPLE_SIGNATURE, messageField, signingFormat } from './message-fields.ts';

export const signMessage = (messages: Pick<MessageService, 'sign'>) =>
  operation({
    ...computes('Bitcoin messages', 'messages'),
    id: 'message.sign',
    path: '/api/v1/bitcoin/messages/sign',
    summary: 'Sign a message with the key of an address',
    description:
      'By BIP322 (2.0.0): `simple` for native segwit addresses, `full` for all; or `legacy`, as signmessage of Bitcoin Core, for P2PKH. ' +
      "The key must be the address's own (P2PKH, P2WPKH, P2WPKH in P2SH, or P2TR by BIP86). It is neither stored nor logged.",
    access: { scope: 'messages:write', role: 'operator' },
    takesNul: true,
    secretBody: true,
    body: z.strictObject({
      address: addressField,
      message: messageField,
      key: z
        .string()
        .min(1, 'must not be empty')
        .max(200, 'must be a private key')
        .meta({ description: 'WIF, or 64 hex digits' }),
      format: signingFormat.optional(),
    }),
    success: {
      status: 200,
      answer: unnamedAnswer({ address: z.string(), format: signingFormat, signature: z.string() }),
      description: 'The signature, with the prefix that BIP322 gives its formats',
    },
    errors: ['invalid_address', 'wrong_network', 'invalid_key', 'unsupported', 'too_large'],
    example: {
      body: EXAMPLE,
      response: {
        address: EXAMPLE.address,
        format: 'simple',
        signature: EXAMPLE_SIGNATURE,
      },
    },
    run: async ({ body }) => ({ address: body.address, ...messages.sign({ ...body, format: body.format ?? null }) }),
  });
