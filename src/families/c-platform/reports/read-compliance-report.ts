import { operation } from '../../../hooks/operation.ts';
import type { Reports } from '../../../services/reports/report-service.ts';
import { reportExample, reportParams } from './report-answer.ts';
import { contentExample, contentSuccess, presentContent } from './report-content.ts';

export const readComplianceReport = (reports: Pick<Reports, 'open'>) =>
  operation({
    id: 'compliance-report.read',
    family: 'c',
    method: 'GET',
    path: '/api/v1/compliance/reports/{report_id}/content',
    summary: 'The content of a compliance report',
    description: 'Takes the rights for what is in it, of whoever reads it.',
    tag: 'Compliance',
    effect: 'read',
    auditsReads: true,
    access: { scope: 'compliance:read', role: 'operator' },
    params: reportParams,
    success: contentSuccess,
    errors: ['not_found', 'state_conflict', 'gone'],
    example: { params: { report_id: reportExample.report_id }, response: contentExample },
    run: ({ params }, context) => reports.open('compliance', params.report_id, context),
    present: presentContent,
  });
