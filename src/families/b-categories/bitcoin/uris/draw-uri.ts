import type { Network } from '../../../../core/network.ts';
import { parseBitcoinUri } from '../../../../core/uris/parse-bitcoin-uri.ts';
import { operation } from '../../../../hooks/operation.ts';
import { computes } from '../../declarations.ts';
import { atField } from '../at-field.ts';
import { EXAMPLE_URI, uriField } from './uri-answer.ts';
import { imageField, imageOf, isLargePicture, qrImage } from './uri-image.ts';

export const drawUriOperation = ({ network }: { network: Network }) =>
  operation({
    ...computes('Bitcoin', 'uris'),
    id: 'uri.draw',
    path: '/api/v1/bitcoin/uris/qr',
    summary: 'The QR code of a bitcoin: URI',
    description: 'SVG as text, PNG in base64. The URI is checked first: a wrong one is not drawn.',
    body: imageField.extend({ uri: uriField }),
    success: { status: 200, answer: qrImage, description: 'The picture' },
    errors: ['too_large'],
    example: {
      body: { uri: EXAMPLE_URI, format: 'png', scale: 8 },
      response: { format: 'png', media_type: 'image/png', encoding: 'base64', data: 'iVBORw0KGgo…' },
    },
    inWorker: isLargePicture,
    run: async ({ body: { uri, ...image } }) => {
      atField('uri', () => parseBitcoinUri(uri, network));
      return atField('uri', () => imageOf(uri, image));
    },
  });
