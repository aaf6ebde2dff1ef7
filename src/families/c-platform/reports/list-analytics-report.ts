import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { Reports } from '../../../services/reports/report-service.ts';
import { pageExample, paginated } from '../../answer.ts';
import { pageQuery } from '../../fields.ts';
import { pageOf } from '../../optional-values.ts';
import { report, reportExample } from './report-answer.ts';

export const listAnalyticsReport = (reports: Pick<Reports, 'page'>) =>
  operation({
    id: 'analytics-report.list',
    family: 'c',
    method: 'GET',
    path: '/api/v1/analytics/reports',
    summary: "The account's reports",
    tag: 'Analytics',
    effect: 'read',
    access: { scope: 'analytics:read', role: 'viewer' },
    query: z.strictObject(pageQuery),
    success: { status: 200, answer: paginated(report), description: 'A page of reports, newest first' },
    example: { query: { limit: '20' }, response: pageExample(reportExample) },
    run: ({ query }, context) => reports.page('analytics', pageOf(query), context),
  });
