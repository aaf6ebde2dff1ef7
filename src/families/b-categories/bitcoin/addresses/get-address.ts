import type { Network } from '../../../../core/network.ts';
import { inspectAddress } from '../../../../core/policy/inspect-address.ts';
import { operation } from '../../../../hooks/operation.ts';
import { addressParams, inspectedAnswer, inspectedExample, presentInspected } from './address-answer.ts';

export const getAddressOperation = ({ network }: { network: Network }) =>
  operation({
    id: 'address.get',
    family: 'b',
    method: 'GET',
    path: '/api/v1/bitcoin/addresses/{address}',
    summary: 'What an address is',
    description: 'The same as validating it: 200 for an invalid one, too.',
    tag: 'Bitcoin',
    effect: 'read',
    access: { scope: 'addresses:read', role: 'viewer' },
    params: addressParams,
    success: { status: 200, schema: inspectedAnswer, description: 'What it is' },
    example: { params: { address: 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080' }, response: inspectedExample },
    run: async ({ params }) => inspectAddress(params.address, network),
    present: presentInspected,
  });
