import { z } from 'zod';
import { describeMessage } from '../../../../core/dlc/messages/describe-message.ts';
import { operation } from '../../../../hooks/operation.ts';
import { dialectField } from '../../../contracts/contract-fields.ts';
import { OFFER_HEX } from '../contracts/message-examples.ts';
import { COMPUTED, DLC_BODY_LIMIT, messageField } from '../message-fields.ts';

const described = (what: string) =>
  z
    .record(z.string(), z.unknown())
    .optional()
    .meta({ description: `${what}: its fields by dlcspecs' names` });

/** Read in a few milliseconds. */
const SHORT_MESSAGE_BYTES = 16_384;

export const decodeContract = () =>
  operation({
    ...COMPUTED,
    id: 'contract.decode',
    path: '/api/v1/dlc/messages/decode',
    summary: 'Read a message of a contract, an announcement or an attestation',
    description:
      'Whatever the bytes say they are. Amounts in BTC, serial ids as decimal strings; of adaptor signatures the number. Nothing is ' +
      'verified: POST /api/v1/dlc/verify does that.',
    body: z.strictObject({
      message: messageField.meta({ description: 'Wire message or TLV of an oracle, hex' }),
      dialect: dialectField.optional(),
    }),
    bodyLimit: DLC_BODY_LIMIT,
    success: {
      status: 200,
      schema: z.object({
        type: z.enum(['offer', 'accept', 'sign', 'announcement', 'attestation']),
        offer: described('Message 42778'),
        accept: described('Message 42780'),
        sign: described('Message 42782'),
        announcement: described('TLV 55332'),
        attestation: described('TLV 55400'),
      }),
      description: 'The message, under the name of its type',
    },
    errors: ['invalid_message'],
    example: {
      body: { message: OFFER_HEX },
      response: {
        type: 'offer',
        offer: { protocol_version: 1, collateral: '0.00500000', fee_rate: '1', refund_locktime: 4_103_308_800 },
      },
    },
    inWorker: (bytes) => bytes > SHORT_MESSAGE_BYTES,
    run: async ({ body: { message, dialect = 'tagged' } }) => describeMessage(message, dialect),
    present: (description) => description as { type: 'offer' },
  });
