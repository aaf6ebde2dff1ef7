import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { Reports } from '../../../services/reports/report-service.ts';
import { ANALYTICS_TYPES } from '../../../services/reports/report-types.ts';
import { namedRequest } from '../../fields.ts';
import { askedOf, queuedExample, report, reportFields, walletsField } from './report-answer.ts';

export const createAnalyticsReport = (reports: Pick<Reports, 'create'>) =>
  operation({
    id: 'analytics-report.create',
    family: 'c',
    method: 'POST',
    path: '/api/v1/analytics/report',
    summary: 'Have a report made',
    description:
      'Made in the background, from what its maker may read. At most 5 at a time; the content is kept for 7 days. [Guide](/docs/analytics).',
    tag: 'Analytics',
    effect: 'write',
    changesRules: false,

    access: { scope: 'analytics:write', role: 'operator' },
    body: namedRequest('AnalyticsReportRequest', {
      type: z.enum(ANALYTICS_TYPES),
      ...reportFields,
      wallets: walletsField,
    }),
    success: { status: 202, answer: report, description: 'It is queued: get it by its id' },
    errors: ['not_found', 'state_conflict'],
    example: {
      body: { type: 'activity', from: '2026-11-01T00:00:00Z', format: 'csv' },
      response: queuedExample,
    },
    run: ({ body }, context) => reports.create({ kind: 'analytics', type: body.type, ...askedOf(body) }, context),
  });
