import { z } from 'zod';
import { operation } from '../../../../hooks/operation.ts';
import type { ConnectionService } from '../../../../services/connections/connection-service.ts';
import { pageExample, paginated } from '../../../answer.ts';
import { pageQuery } from '../../../fields.ts';
import { omitUndefined, pageOf } from '../../../optional-values.ts';
import { connection, connectionExample } from './connection-answer.ts';

export const listConnection = (connections: ConnectionService) =>
  operation({
    id: 'connection.list',
    family: 'c',
    method: 'GET',
    path: '/api/v1/enterprise/connections',
    summary: "The account's outgoing connections",
    tag: 'Connections',
    effect: 'read',
    access: { scope: 'connections:read', role: 'admin' },
    query: z.strictObject({ ...pageQuery, type: z.enum(['siem', 'archive']).optional() }),
    success: { status: 200, answer: paginated(connection), description: 'A page of connections, newest first' },
    example: { query: { limit: '20' }, response: pageExample(connectionExample) },
    run: ({ query: { type, ...page } }, context) => connections.list(omitUndefined({ type }), pageOf(page), context),
  });
