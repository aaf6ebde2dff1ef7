import { z } from 'zod';
import { operation } from '../../../../hooks/operation.ts';
import type { GetEnterpriseStatus } from '../../../../services/connections/enterprise-status.ts';
import { answer } from '../../../answer.ts';
import { connection, connectionExample } from './connection-answer.ts';

const enterpriseStatus = answer('EnterpriseStatus', {
  config_version: z
    .int()
    .meta({ description: 'Grows with each change of rules, groups and configuration; 0 before the first' }),
  default_action: z.enum(['allow', 'deny']),
  policies: answer('PolicyCounts', { in_force: z.int(), disabled: z.int() }).schema,
  connections: z.array(connection.schema).meta({ description: 'Each with its lag and its last error, newest first' }),
});

export const statusConnection = (status: GetEnterpriseStatus) =>
  operation({
    id: 'connection.status',
    family: 'c',
    method: 'GET',
    path: '/api/v1/enterprise/status',
    summary: "How the account's rules and connections stand",
    tag: 'Connections',
    effect: 'read',
    access: { scope: 'connections:read', role: 'admin' },
    success: { status: 200, answer: enterpriseStatus, description: 'How they stand now' },
    example: {
      response: {
        config_version: 7,
        default_action: 'allow',
        policies: { in_force: 3, disabled: 1 },
        connections: [connectionExample],
      },
    },
    run: (_, context) => status(context),
  });
