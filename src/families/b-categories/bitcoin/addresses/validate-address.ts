import { z } from 'zod';
import type { Network } from '../../../../core/network.ts';
import { inspectAddress } from '../../../../core/relay-policy/inspect-address.ts';
import { operation } from '../../../../hooks/operation.ts';
import { computes } from '../../declarations.ts';
import { addressInfo, addressText, inspectedExample } from './address-answer.ts';

export const validateAddressOperation = ({ network }: { network: Network }) =>
  operation({
    ...computes('Bitcoin', 'addresses'),
    id: 'address.validate',
    path: '/api/v1/bitcoin/addresses/validate',
    summary: 'Whether a text is an address, and what is wrong with it',
    description:
      'Answers 200 for an invalid one, too. Up to two mistyped characters of a bech32 address are located (BIP173, BIP350); show them ' +
      'to the person who typed it, and never correct them for them.',
    body: z.strictObject({ address: addressText }),
    success: { status: 200, answer: addressInfo, description: 'What it is' },
    example: { body: { address: 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080' }, response: inspectedExample },
    run: async ({ body }) => inspectAddress(body.address, network),
  });
