import { z } from 'zod';
import type { Network } from '../../../../core/network.ts';
import { qrSvg } from '../../../../core/pictures/qr-code.ts';
import { parseBitcoinUri } from '../../../../core/uris/parse-bitcoin-uri.ts';
import { operation } from '../../../../hooks/operation.ts';
import { integerQuery } from '../../../fields.ts';
import { reads } from '../../declarations.ts';
import { atField } from '../at-field.ts';
import { EXAMPLE_URI, uriField } from './uri-answer.ts';

export const showUriOperation = ({ network }: { network: Network }) =>
  operation({
    ...reads('Bitcoin', 'uris'),
    id: 'uri.show',
    path: '/api/v1/bitcoin/uris/qr',
    summary: 'The QR code of a bitcoin: URI as an SVG document',
    description: 'As an image by itself. PNG comes in JSON: POST to the same path.',
    query: z.strictObject({
      uri: uriField,
      scale: integerQuery(1, 32).default(8).meta({ description: 'Pixels per module' }),
      error_correction: z.enum(['low', 'medium', 'quartile', 'high']).default('medium'),
    }),
    success: { status: 200, schema: z.string(), contentType: 'image/svg+xml', description: 'The picture' },
    errors: ['too_large'],
    example: { query: { uri: EXAMPLE_URI }, response: '<svg xmlns="http://www.w3.org/2000/svg">…</svg>' },
    run: async ({ query: { uri, scale, error_correction: errorCorrection } }) => {
      atField('query.uri', () => parseBitcoinUri(uri, network));
      return atField('query.uri', () => qrSvg(uri, { scale, errorCorrection }));
    },
    present: (svg) => svg,
  });
