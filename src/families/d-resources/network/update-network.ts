import { operation } from '../../../hooks/operation.ts';
import type { NetworkService } from '../../../services/networks/network-service.ts';
import { network, networkBody, networkBodyExample, networkExample, networkParams } from './network-answer.ts';

export const updateNetwork = (networks: NetworkService) =>
  operation({
    id: 'network.update',
    family: 'd',
    method: 'PUT',
    path: '/api/v1/network/{network_id}',
    summary: 'Replace a network of nodes',
    description: 'Nodes that stay keep what they answered; new ones are probed at once.',
    tag: 'Resources',
    effect: 'write',
    access: { scope: 'networks:write', role: 'operator' },
    changesRules: false,
    params: networkParams,
    body: networkBody,
    success: { status: 200, answer: network, description: 'The network as it is now' },
    errors: ['not_found', 'policy_refused'],
    example: { params: { network_id: networkExample.network_id }, body: networkBodyExample, response: networkExample },
    run: ({ params, body }, context) => networks.replace(params.network_id, body, context),
  });
