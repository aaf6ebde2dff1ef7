import { z } from 'zod';
import type { Network } from '../../../../core/network.ts';
import { parseBitcoinUri } from '../../../../core/uris/parse-bitcoin-uri.ts';
import { operation } from '../../../../hooks/operation.ts';
import { computes } from '../../declarations.ts';
import { atField } from '../at-field.ts';
import { EXAMPLE_URI, paymentUri, uriExample, uriField } from './uri-answer.ts';

export const parseUriOperation = ({ network }: { network: Network }) =>
  operation({
    ...computes('Bitcoin', 'uris'),
    id: 'uri.parse',
    path: '/api/v1/bitcoin/uris/parse',
    summary: 'What a bitcoin: URI asks for',
    description:
      'BIP321, which replaces BIP21. A URI that is wrong in itself is refused; what keeps a right one from being paid here is told in ' +
      '`problems`: parameters that are required and unknown, addresses that are mistyped or of another network.',
    body: z.strictObject({ uri: uriField }),
    success: { status: 200, answer: paymentUri, description: 'Its parts' },
    example: { body: { uri: EXAMPLE_URI }, response: uriExample },
    run: async ({ body: { uri } }) => ({ uri, ...atField('uri', () => parseBitcoinUri(uri, network)) }),
  });
