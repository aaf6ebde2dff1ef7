import { operation } from '../../../../hooks/operation.ts';
import type { ConnectionService } from '../../../../services/connections/connection-service.ts';
import { triedConnection, triedConnectionExample } from './connection-answer.ts';
import { changedConnectionBody, connectionParams, settingsOf } from './connection-fields.ts';

export const updateConnection = (connections: ConnectionService) =>
  operation({
    id: 'connection.update',
    family: 'c',
    method: 'PATCH',
    path: '/api/v1/enterprise/connections/{connection_id}',
    summary: 'Rename a connection, end or begin its deliveries, or lead it elsewhere',
    description:
      'New settings, and `enabled: true` where deliveries do not go well, are tried as when it was made; the credential that asks is from ' +
      'then on the one that deliveries depend on. The position in the log stays.',
    tag: 'Connections',
    effect: 'write',
    changesRules: false,
    access: { scope: 'connections:write', role: 'admin' },
    secretBody: true,
    params: connectionParams,
    body: changedConnectionBody,
    success: { status: 200, answer: triedConnection, description: 'The connection, and how it was tried' },
    errors: ['not_found', 'forbidden', 'connection_failed', 'invalid_value', 'state_conflict', 'unavailable'],
    example: {
      params: { connection_id: triedConnectionExample.connection_id },
      body: { name: 'collector in Frankfurt' },
      response: { ...triedConnectionExample, name: 'collector in Frankfurt', steps: null },
    },
    run: ({ params, body: { settings, ...patch } }, context) =>
      connections.update(
        params.connection_id,
        { ...patch, ...(settings !== undefined && { settings: settingsOf(settings) }) },
        context,
      ),
  });
