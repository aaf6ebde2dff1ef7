import { z } from 'zod';
import { operation } from '../../../../hooks/operation.ts';
import {
  type CheckedMessage,
  MAX_LOOKED_UP,
  type MessageService,
} from '../../../../services/messages/message-service.ts';
import { amount, unnamedAnswer } from '../../../answer.ts';
import { formerName } from '../../../fields.ts';
import { computes } from '../../declarations.ts';
import { addressField, messageField } from './message-fields.ts';

const claim = unnamedAnswer(
  {
    txid: z.string(),
    vout: z.int(),
    amount: amount,
    script_pubkey: z.string().meta({ description: 'Hex' }),
    script: formerName(z.string(), 'script_pubkey'),
    sequence: z.int().meta({ description: "The input's nSequence; reported, not checked" }),
    unspent: z.boolean().nullable().meta({
      description: 'Whether the chain has this very output unspent; null where it was not asked or cannot say',
    }),
  },
  ({ output: { scriptPubKey } }: CheckedMessage['claims'][number]) => ({
    script_pubkey: scriptPubKey,
    script: scriptPubKey,
  }),
);

const checkedMessage = unnamedAnswer(
  {
    valid: z.boolean(),
    state: z.enum(['valid', 'inconclusive', 'invalid']),
    format: z.enum(['simple', 'full', 'proof-of-funds', 'legacy', 'bip137']).nullable(),
    reason: z.string().nullable().meta({ description: 'Why it is not valid; null where it is' }),
    script_error: z
      .string()
      .nullable()
      .meta({ description: "Bitcoin Core's name of the script error, where a script failed" }),
    valid_at: z.object({ locktime: z.int(), sequence: z.int() }).nullable().meta({
      description:
        'BIP322\'s "valid at time T and age S": nLockTime, and nSequence of the first input; null for legacy',
    }),
    claimed_outputs: z
      .array(claim.schema)
      .meta({ description: 'Of a proof of funds: the outputs that it shows control of' }),
  },
  ({ verdict: { validAt, scriptError, ...verdict }, claims }: CheckedMessage) => ({
    ...verdict,
    valid: verdict.state === 'valid',
    script_error: scriptError,
    valid_at: validAt && { ...validAt },
    claimed_outputs: claims.map((one) => claim.present({ ...one, ...one.outpoint, ...one.output })),
  }),
);

export const verifyMessage = (messages: Pick<MessageService, 'verify'>) =>
  operation({
    ...computes('Bitcoin messages', 'messages'),
    id: 'message.verify',
    path: '/api/v1/bitcoin/messages/verify',
    summary: 'Whether a signed message is of the address that it claims',
    description:
      'BIP322 (2.0.0) for every kind of address, with or without the prefix smp, ful or pof; and compact signatures as verifymessage ' +
      'of Bitcoin Core takes them. Compact ones with the header bytes that BIP137 gives segwit addresses are verified too and called ' +
      `bip137: BIP322 advises against them. A to_sign of more than 100,000 weight units is inconclusive. Up to ${MAX_LOOKED_UP} outputs of a proof of funds are looked up on the chain; it ` +
      'never shows that there are no others. Signatures that are malformed are answered as invalid.',
    takesNul: true,
    body: z.strictObject({
      address: addressField,
      message: messageField,
      signature: z
        .string()
        .min(1, 'must not be empty')
        .meta({ description: 'Base64, behind its prefix where it has one', examples: ['smpAkcwRAIg…'] }),
    }),
    success: { status: 200, answer: checkedMessage, description: "BIP322's three states, and why" },
    errors: ['invalid_address', 'wrong_network'],
    example: {
      body: {
        address: 'bcrt1q9vza2e8x573nczrlzms0wvx3gsqjx7vay85cr9',
        message: 'Hello World',
        signature:
          'smpAkcwRAIgZRfIY3p7/DoVTty6YZbWS71bc5Vct9p9Fia83eRmw2QCICK/ENGfwLtptFluMGs2KsqoNSk89pO7F29zJLUx9a/sASECx/EgAxlkQpQ9hYjgGu6EBCPMVPwVIVJqO4XCsMvViHI=',
      },
      response: {
        valid: true,
        state: 'valid',
        format: 'simple',
        reason: null,
        script_error: null,
        valid_at: { locktime: 0, sequence: 0 },
        claimed_outputs: [],
      },
    },
    run: ({ body }, context) => messages.verify(body, context),
  });
