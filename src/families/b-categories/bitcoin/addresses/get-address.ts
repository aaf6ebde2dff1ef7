import type { Network } from '../../../../core/network.ts';
import { inspectAddress } from '../../../../core/relay-policy/inspect-address.ts';
import { operation } from '../../../../hooks/operation.ts';
import { reads } from '../../declarations.ts';
import { addressInfo, addressParams, inspectedExample } from './address-answer.ts';

export const getAddressOperation = ({ network }: { network: Network }) =>
  operation({
    ...reads('Bitcoin', 'addresses'),
    id: 'address.get',
    path: '/api/v1/bitcoin/addresses/{address}',
    summary: 'What an address is',
    description: 'The same as validating it: 200 for an invalid one, too.',
    params: addressParams,
    success: { status: 200, answer: addressInfo, description: 'What it is' },
    example: { params: { address: 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080' }, response: inspectedExample },
    run: async ({ params }) => inspectAddress(params.address, network),
  });
