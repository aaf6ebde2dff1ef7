import { z } from 'zod';
import type { Network } from '../../../../core/network.ts';
import { buildBitcoinUri } from '../../../../core/uris/build-bitcoin-uri.ts';
import { parseBitcoinUri } from '../../../../core/uris/parse-bitcoin-uri.ts';
import { operation } from '../../../../hooks/operation.ts';
import { unnamedAnswer } from '../../../answer.ts';
import { amountField } from '../../../fields.ts';
import { isLargeBody } from '../../../large-body.ts';
import { omitUndefined } from '../../../optional-values.ts';
import { computes } from '../../declarations.ts';
import { atField } from '../at-field.ts';
import { paymentUri, uriExample } from './uri-answer.ts';
import { imageField, imageOf, isLargePicture, qrImage } from './uri-image.ts';

const text = z.string().min(1, 'must not be empty').max(2_000, 'must have at most 2000 characters');

const builtUri = unnamedAnswer({ ...paymentUri.shape, image: qrImage.schema.nullable() }, paymentUri.present);

export const buildUriOperation = ({ network }: { network: Network }) =>
  operation({
    ...computes('Bitcoin', 'uris'),
    id: 'uri.build',
    path: '/api/v1/bitcoin/uris/build',
    summary: 'Make a bitcoin: URI, with a QR code where wished',
    description:
      'BIP321, which replaces BIP21. In upper case the QR code is smaller; that is for what means the same then.',
    body: z
      .strictObject({
        address: z.string().min(1, 'must not be empty').max(200).meta({ description: 'In the body' }).optional(),
        addresses: z
          .array(z.string().min(1, 'must not be empty').max(200))
          .max(10, 'must have at most 10 addresses')
          .meta({ description: 'Further segwit addresses, each as a parameter' })
          .optional(),
        amount: amountField.optional(),
        label: text.meta({ description: 'Of the receiver' }).optional(),
        message: text.meta({ description: 'To the payer' }).optional(),
        lightning: text.meta({ description: 'A BOLT 11 invoice' }).optional(),
        lno: text.meta({ description: 'A BOLT 12 offer' }).optional(),
        sp: text.meta({ description: 'A silent payment address (BIP352)' }).optional(),
        pay: text.meta({ description: 'A private payment address (BIP351)' }).optional(),
        pop: text
          .meta({ description: 'Where a proof of payment goes: a URI prefix with a scheme of its own' })
          .optional(),
        pop_required: z
          .boolean()
          .default(false)
          .meta({ description: 'A wallet that cannot give the proof must not pay' }),
        parameters: z
          .array(
            z.strictObject({
              key: z.string().min(1, 'must not be empty').max(100),
              value: z.string().max(2_000).optional(),
              required: z.boolean().default(false),
            }),
          )
          .max(20, 'must have at most 20 parameters')
          .meta({ description: 'Any others; a wallet that does not know a required one must not pay' })
          .optional(),
        upper_case: z.boolean().default(false).meta({ description: 'For a smaller QR code' }),
        image: imageField.meta({ description: 'The QR code, too' }).optional(),
      })
      .refine(({ pop, pop_required }) => pop !== undefined || !pop_required, {
        path: ['pop'],
        message: 'is required where pop_required is true',
      }),
    success: {
      status: 200,
      answer: builtUri,
      description: 'The URI, and what a wallet reads in it',
    },
    errors: ['invalid_address', 'wrong_network', 'too_large'],
    example: {
      body: {
        address: 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080',
        amount: '0.5',
        label: 'Invoice 42',
        image: { format: 'svg' },
      },
      response: {
        ...uriExample,
        image: {
          format: 'svg',
          media_type: 'image/svg+xml',
          encoding: 'utf-8',
          data: '<svg xmlns="http://www.w3.org/2000/svg">…</svg>',
        },
      },
    },
    inWorker: (bytes, body) => isLargeBody(bytes) || isLargePicture(0, (body as { image?: unknown } | null)?.image),
    run: async ({ body }) => {
      const { amount, pop_required, upper_case, image, ...rest } = body;
      const request = {
        ...omitUndefined({ ...rest, amountSats: amount }),
        popRequired: pop_required,
        upperCase: upper_case,
      };
      const uri = buildBitcoinUri(request, network);
      const drawn = image === undefined ? null : atField('image', () => imageOf(uri, image));
      return { uri, ...parseBitcoinUri(uri, network), image: drawn };
    },
  });
