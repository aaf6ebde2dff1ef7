import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { NetworkService } from '../../../services/networks/network-service.ts';
import { networkExample, networkParams } from './network-answer.ts';

export const deleteNetwork = (networks: NetworkService) =>
  operation({
    id: 'network.delete',
    family: 'd',
    method: 'DELETE',
    path: '/api/v1/network/{network_id}',
    summary: 'Delete a network of nodes',
    tag: 'Resources',
    effect: 'write',
    access: { scope: 'networks:write', role: 'operator' },
    changesRules: false,
    params: networkParams,
    success: { status: 204, schema: z.undefined(), description: 'Deleted' },
    errors: ['not_found'],
    example: { params: { network_id: networkExample.network_id } },
    run: ({ params }, context) => networks.delete(params.network_id, context),
    present: () => undefined,
  });
