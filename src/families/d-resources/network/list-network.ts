import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { NetworkService } from '../../../services/networks/network-service.ts';
import { pageExample, paginated } from '../../answer.ts';
import { pageQuery } from '../../fields.ts';
import { pageOf } from '../../optional-values.ts';
import { network, networkExample } from './network-answer.ts';

export const listNetwork = (networks: NetworkService) =>
  operation({
    id: 'network.list',
    family: 'd',
    method: 'GET',
    path: '/api/v1/network',
    summary: 'Networks of nodes',
    tag: 'Resources',
    effect: 'read',
    access: { scope: 'networks:read', role: 'viewer' },
    query: z.strictObject(pageQuery),
    success: { status: 200, answer: paginated(network), description: 'A page of networks, newest first' },
    example: { query: { limit: '20', offset: '0' }, response: pageExample(networkExample) },
    run: ({ query }, context) => networks.list(pageOf(query), context),
  });
