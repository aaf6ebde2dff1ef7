import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { CheckView, ComplianceStatus } from '../../../services/compliance/compliance-status.ts';
import { answer, time, unnamedAnswer } from '../../answer.ts';

const check = answer(
  'ComplianceCheck',
  {
    id: z.string(),
    title: z.string(),
    status: z.enum(['pass', 'warn', 'fail', 'unknown']),
    evidence: z
      .record(z.string(), z.union([z.string(), z.int(), z.null()]))
      .meta({ description: 'The figures that the status follows from; members whose names end with `_at` are times' }),
    ids: z.array(z.string()).nullable().meta({
      description:
        'What it is about, the oldest ten; null where there is no such list, and without the rights to read those records',
    }),
    since: time.meta({ description: 'When the status last changed, or was first seen' }),
  },
  ({ evidence }: CheckView) => ({
    evidence: Object.fromEntries(
      Object.entries(evidence).map(([name, value]) => [
        name,
        name.endsWith('_at') && typeof value === 'number' ? time.encode(value) : value,
      ]),
    ),
  }),
);

export const statusCompliance = (compliance: Pick<ComplianceStatus, 'status'>) =>
  operation({
    id: 'compliance.status',
    family: 'c',
    method: 'GET',
    path: '/api/v1/compliance/status',
    summary: 'How the account stands: checks with their evidence',
    description:
      'Each check is described in the [guide](/docs/compliance), with its thresholds and what to do. Administrators of the account that runs ' +
      'the service see checks of the service besides.',
    tag: 'Compliance',
    effect: 'read',
    access: { scope: 'compliance:read', role: 'operator' },
    success: {
      status: 200,
      answer: unnamedAnswer({ checks: z.array(check.schema) }),
      description: 'All checks, in the same order each time',
    },
    example: {
      response: {
        checks: [
          {
            ...{ id: 'second-factor', title: 'People who log in with a password have a second factor', status: 'warn' },
            evidence: { people_without: 1, administrators_without: 0 },
            ids: ['usr_9sVb1k7Q2xYt9LpRw0Zc5A'],
            since: '2026-11-21T10:00:00.000Z',
          },
        ],
      },
    },
    run: async (_, context) => ({ checks: await compliance.status(context) }),
  });
