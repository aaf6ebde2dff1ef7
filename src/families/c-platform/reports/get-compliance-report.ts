import { operation } from '../../../hooks/operation.ts';
import type { Reports } from '../../../services/reports/report-service.ts';
import { complianceExample, report, reportExample, reportParams } from './report-answer.ts';

export const getComplianceReport = (reports: Pick<Reports, 'get'>) =>
  operation({
    id: 'compliance-report.get',
    family: 'c',
    method: 'GET',
    path: '/api/v1/compliance/reports/{report_id}',
    summary: 'A compliance report, and how far it is',
    tag: 'Compliance',
    effect: 'read',
    access: { scope: 'compliance:read', role: 'operator' },
    params: reportParams,
    success: { status: 200, answer: report, description: 'The report, without its content' },
    errors: ['not_found'],
    example: { params: { report_id: reportExample.report_id }, response: complianceExample(reportExample) },
    run: ({ params }, context) => reports.get('compliance', params.report_id, context),
  });
