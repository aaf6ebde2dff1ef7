import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { GetEnterpriseStatus } from '../../../services/enterprise-status.ts';
import { answer, time } from '../../answer.ts';
import { connection, connectionExample } from './connections/connection-answer.ts';

const enterpriseStatus = answer('EnterpriseStatus', {
  config_version: z
    .int()
    .meta({ description: 'Grows with each change of rules, groups and configuration; 0 before the first' }),
  default_action: z.enum(['allow', 'deny']),
  policies: answer('PolicyCounts', { in_force: z.int(), disabled: z.int() }).schema,
  approvals: answer('ApprovalsWaiting', {
    waiting: z.int(),
    oldest_at: time.nullable().meta({ description: 'When the one that waits longest was asked for' }),
  })
    .schema.nullable()
    .meta({ description: 'Approvals that nobody has decided yet; null without the scope approvals:read' }),
  quota: answer('Quota', {
    requests_per_day: z.int().nullable().meta({ description: 'null: no quota' }),
    requests_used: z.int().nullable().meta({ description: 'Today (UTC), this request included; null without a quota' }),
    resets_at: time,
  }).schema.meta({ description: 'Of the credential that asks: each has its own' }),
  connections: z.array(connection.schema).nullable().meta({
    description:
      'Each with its lag and its last error, newest first; null without the scope connections:read and the role admin',
  }),
});

export const statusEnterprise = (status: GetEnterpriseStatus) =>
  operation({
    id: 'enterprise.status',
    family: 'c',
    method: 'GET',
    path: '/api/v1/enterprise/status',
    summary: "How the account's rules, approvals, quota and connections stand",
    tag: 'Policies',
    effect: 'read',
    access: { scope: 'policies:read', role: 'operator' },
    success: { status: 200, answer: enterpriseStatus, description: 'How they stand now' },
    example: {
      response: {
        config_version: 7,
        default_action: 'allow',
        policies: { in_force: 3, disabled: 1 },
        approvals: { waiting: 2, oldest_at: '2026-11-24T09:12:44.000Z' },
        quota: { requests_per_day: 100_000, requests_used: 1_204, resets_at: '2026-11-25T00:00:00.000Z' },
        connections: [connectionExample],
      },
    },
    run: (_, context) => status(context),
  });
