import { operation } from '../../../hooks/operation.ts';
import type { Reports } from '../../../services/reports/report-service.ts';
import { reportExample, reportParams } from './report-answer.ts';
import { contentExample, contentSuccess, presentContent } from './report-content.ts';

export const readAnalyticsReport = (reports: Pick<Reports, 'open'>) =>
  operation({
    id: 'analytics-report.read',
    family: 'c',
    method: 'GET',
    path: '/api/v1/analytics/reports/{report_id}/content',
    summary: 'The content of a report',
    description: 'Takes the rights for what is in it, of whoever reads it.',
    tag: 'Analytics',
    effect: 'read',
    access: { scope: 'analytics:read', role: 'viewer' },
    params: reportParams,
    success: contentSuccess,
    errors: ['not_found', 'state_conflict', 'gone'],
    example: { params: { report_id: reportExample.report_id }, response: contentExample },
    run: ({ params }, context) => reports.open('analytics', params.report_id, context),
    present: presentContent,
  });
