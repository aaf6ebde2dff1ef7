import { z } from 'zod';
import type { BitcoinUri, PaymentInstruction } from '../../../../core/uris/bitcoin-uri.ts';
import { MAX_URI_CHARACTERS } from '../../../../core/uris/parse-bitcoin-uri.ts';
import { amount, answer } from '../../../answer.ts';

export const uriField = z
  .string()
  .min(1, 'must not be empty')
  .max(MAX_URI_CHARACTERS, `must have at most ${MAX_URI_CHARACTERS} characters`);

const instruction = answer(
  'PaymentInstruction',
  {
    key: z.string().meta({ description: '`body`, or the parameter' }),
    kind: z.enum(['onchain', 'lightning', 'lightning-offer', 'silent-payment', 'private-payment']),
    value: z.string(),
    required: z.boolean(),
    valid: z.boolean().nullable().meta({ description: 'Of addresses: on this network. null: not checked here' }),
    networks: z.array(z.string()).nullable(),
  },
  ({ address }: PaymentInstruction) => ({
    valid: address?.valid ?? null,
    networks: address && [...address.networks],
  }),
);

export const paymentUri = answer(
  'PaymentUri',
  {
    uri: z.string(),
    payable: z
      .boolean()
      .meta({ description: 'Whether a wallet on this network may pay it by one of its instructions' }),
    problems: z.array(z.object({ parameter: z.string(), reason: z.string() })),
    address: z.string().nullable().meta({ description: 'Of the body; null where that is empty' }),
    amount: amount.nullable(),
    label: z.string().nullable(),
    message: z.string().nullable(),
    instructions: z.array(instruction.schema),
    pop: z
      .object({ uri: z.string(), required: z.boolean(), allowed: z.boolean() })
      .nullable()
      .meta({ description: 'Where a proof of payment goes; a wallet opens it only where that is allowed' }),
    others: z.array(z.object({ key: z.string(), value: z.string().nullable(), required: z.boolean() })),
  },
  ({ instructions }: BitcoinUri) => ({
    address: instructions.find(({ key }) => key === 'body')?.value ?? null,
  }),
);

export const EXAMPLE_URI = 'bitcoin:bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080?amount=0.5&label=Invoice%2042';

export const uriExample = {
  uri: 'bitcoin:bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080?amount=0.5&label=Invoice%2042',
  payable: true,
  problems: [],
  address: 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080',
  amount: '0.50000000',
  label: 'Invoice 42',
  message: null,
  instructions: [
    {
      key: 'body',
      kind: 'onchain',
      value: 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080',
      required: false,
      valid: true,
      networks: ['regtest'],
    },
  ],
  pop: null,
  others: [],
};
