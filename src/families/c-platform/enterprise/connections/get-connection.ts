import { operation } from '../../../../hooks/operation.ts';
import type { ConnectionService } from '../../../../services/connections/connection-service.ts';
import { connection, connectionExample } from './connection-answer.ts';
import { connectionParams } from './connection-fields.ts';

export const getConnection = (connections: ConnectionService) =>
  operation({
    id: 'connection.get',
    family: 'c',
    method: 'GET',
    path: '/api/v1/enterprise/connections/{connection_id}',
    summary: 'An outgoing connection',
    tag: 'Connections',
    effect: 'read',
    access: { scope: 'connections:read', role: 'admin' },
    params: connectionParams,
    success: { status: 200, answer: connection, description: 'The connection; never its secrets' },
    errors: ['not_found'],
    example: { params: { connection_id: connectionExample.connection_id }, response: connectionExample },
    run: ({ params }, context) => connections.get(params.connection_id, context),
  });
