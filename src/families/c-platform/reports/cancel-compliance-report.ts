import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { Reports } from '../../../services/reports/report-service.ts';
import { reportExample, reportParams } from './report-answer.ts';

export const cancelComplianceReport = (reports: Pick<Reports, 'cancel'>) =>
  operation({
    id: 'compliance-report.cancel',
    family: 'c',
    method: 'DELETE',
    path: '/api/v1/compliance/reports/{report_id}',
    summary: 'Cancel a compliance report, or delete its content',
    description: 'Takes the rights for what is in it, but of whoever asked for it.',
    tag: 'Compliance',
    effect: 'write',
    changesRules: false,
    spends: [],
    access: { scope: 'compliance:write', role: 'operator' },
    params: reportParams,
    success: { status: 204, schema: z.undefined(), description: 'It is cancelled, and has no content' },
    errors: ['not_found'],
    example: { params: { report_id: reportExample.report_id } },
    run: ({ params }, context) => reports.cancel('compliance', params.report_id, context),
    present: () => undefined,
  });
