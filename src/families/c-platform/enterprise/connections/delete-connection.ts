import { z } from 'zod';
import { operation } from '../../../../hooks/operation.ts';
import type { ConnectionService } from '../../../../services/connections/connection-service.ts';
import { connectionExample } from './connection-answer.ts';
import { connectionParams } from './connection-fields.ts';

export const deleteConnection = (connections: ConnectionService) =>
  operation({
    id: 'connection.delete',
    family: 'c',
    method: 'DELETE',
    path: '/api/v1/enterprise/connections/{connection_id}',
    summary: 'End a connection',
    description: 'Nothing more is delivered, and its secrets are deleted. What the other side has it keeps.',
    tag: 'Connections',
    effect: 'write',
    changesRules: false,
    access: { scope: 'connections:write', role: 'admin' },
    params: connectionParams,
    success: { status: 204, schema: z.undefined(), description: 'Deleted' },
    errors: ['not_found', 'forbidden'],
    example: { params: { connection_id: connectionExample.connection_id } },
    run: async ({ params }, context): Promise<null> => {
      await connections.delete(params.connection_id, context);
      return null;
    },
    present: () => undefined,
  });
