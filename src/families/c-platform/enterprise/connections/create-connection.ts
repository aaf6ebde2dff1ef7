import { operation } from '../../../../hooks/operation.ts';
import type { ConnectionService } from '../../../../services/connections/connection-service.ts';
import { triedConnection, triedConnectionExample } from './connection-answer.ts';
import { newConnectionBody, settingsOf } from './connection-fields.ts';

export const createConnection = (connections: ConnectionService) =>
  operation({
    id: 'connection.create',
    family: 'c',
    method: 'POST',
    path: '/api/v1/enterprise/connect',
    summary: 'Connect to a log collector or an archive',
    description:
      'Tried at once, with a test event: `steps` says how. What failed makes nothing and answers 422 `connection_failed`, with the steps in ' +
      '`details`. Records of the audit log then follow in its order, for as long as the credential that asks here may read that log. ' +
      'See [outgoing connections](/docs/connections).',
    tag: 'Connections',
    effect: 'write',
    changesRules: false,
    access: { scope: 'connections:write', role: 'admin' },
    secretBody: true,
    body: newConnectionBody,
    success: { status: 201, answer: triedConnection, description: 'The connection, and how it was tried' },
    errors: ['connection_failed', 'policy_refused', 'invalid_value', 'unavailable'],
    example: {
      body: { type: 'siem', name: 'log collector', settings: { transport: 'syslog', host: 'logs.example.com' } },
      response: triedConnectionExample,
    },
    run: ({ body: { type, name, settings, from } }, context) =>
      connections.create({ type, name, ...settingsOf(settings), from }, context),
  });
