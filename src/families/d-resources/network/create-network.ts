import { operation } from '../../../hooks/operation.ts';
import type { NetworkService } from '../../../services/networks/network-service.ts';
import { network, networkBody, networkBodyExample, networkExample } from './network-answer.ts';

export const createNetwork = (networks: NetworkService) =>
  operation({
    id: 'network.create',
    family: 'd',
    method: 'POST',
    path: '/api/v1/network',
    summary: 'Make a network of nodes',
    description:
      'Each node is probed at once and then at an interval: by the P2P version handshake, or over HTTP (Esplora). Only the default P2P port of the ' +
      'network, 443 of URLs and what the operator lists are connected to, and only public addresses.',
    tag: 'Resources',
    effect: 'write',
    access: { scope: 'networks:write', role: 'operator' },
    changesRules: false,
    body: networkBody,
    success: { status: 201, answer: network, description: 'The network' },
    errors: ['policy_refused'],
    example: { body: networkBodyExample, response: networkExample },
    run: ({ body }, context) => networks.create(body, context),
  });
