import { operation } from '../../../hooks/operation.ts';
import type { NetworkService } from '../../../services/networks/network-service.ts';
import { network, networkExample, networkParams } from './network-answer.ts';

export const getNetwork = (networks: NetworkService) =>
  operation({
    id: 'network.get',
    family: 'd',
    method: 'GET',
    path: '/api/v1/network/{network_id}',
    summary: 'A network of nodes, and what they answered last',
    tag: 'Resources',
    effect: 'read',
    access: { scope: 'networks:read', role: 'viewer' },
    params: networkParams,
    success: { status: 200, answer: network, description: 'The network' },
    errors: ['not_found'],
    example: { params: { network_id: networkExample.network_id }, response: networkExample },
    run: ({ params }, context) => networks.get(params.network_id, context),
  });
