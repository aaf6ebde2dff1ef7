import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { Reports } from '../../../services/reports/report-service.ts';
import { pageExample, paginated } from '../../answer.ts';
import { pageQuery } from '../../fields.ts';
import { pageOf } from '../../optional-values.ts';
import { complianceExample, report, reportExample } from './report-answer.ts';

export const listComplianceReport = (reports: Pick<Reports, 'page'>) =>
  operation({
    id: 'compliance-report.list',
    family: 'c',
    method: 'GET',
    path: '/api/v1/compliance/reports',
    summary: "The account's compliance reports",
    tag: 'Compliance',
    effect: 'read',
    access: { scope: 'compliance:read', role: 'operator' },
    query: z.strictObject(pageQuery),
    success: { status: 200, answer: paginated(report), description: 'A page of reports, newest first' },
    example: { query: { limit: '20' }, response: pageExample(complianceExample(reportExample)) },
    run: ({ query }, context) => reports.page('compliance', pageOf(query), context),
  });
