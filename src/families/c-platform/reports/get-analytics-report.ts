import { operation } from '../../../hooks/operation.ts';
import type { Reports } from '../../../services/reports/report-service.ts';
import { report, reportExample, reportParams } from './report-answer.ts';

export const getAnalyticsReport = (reports: Pick<Reports, 'get'>) =>
  operation({
    id: 'analytics-report.get',
    family: 'c',
    method: 'GET',
    path: '/api/v1/analytics/reports/{report_id}',
    summary: 'A report, and how far it is',
    tag: 'Analytics',
    effect: 'read',
    access: { scope: 'analytics:read', role: 'viewer' },
    params: reportParams,
    success: { status: 200, answer: report, description: 'The report, without its content' },
    errors: ['not_found'],
    example: { params: { report_id: reportExample.report_id }, response: reportExample },
    run: ({ params }, context) => reports.get('analytics', params.report_id, context),
  });
