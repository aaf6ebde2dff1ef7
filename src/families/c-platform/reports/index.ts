import type { Reports } from '../../../services/reports/report-service.ts';
import { cancelAnalyticsReport } from './cancel-analytics-report.ts';
import { cancelComplianceReport } from './cancel-compliance-report.ts';
import { createAnalyticsReport } from './create-analytics-report.ts';
import { createComplianceReport } from './create-compliance-report.ts';
import { getAnalyticsReport } from './get-analytics-report.ts';
import { getComplianceReport } from './get-compliance-report.ts';
import { listAnalyticsReport } from './list-analytics-report.ts';
import { listComplianceReport } from './list-compliance-report.ts';
import { readAnalyticsReport } from './read-analytics-report.ts';
import { readComplianceReport } from './read-compliance-report.ts';

export const reportOperations = (reports: Reports) => [
  createAnalyticsReport(reports),
  listAnalyticsReport(reports),
  getAnalyticsReport(reports),
  readAnalyticsReport(reports),
  cancelAnalyticsReport(reports),
  createComplianceReport(reports),
  listComplianceReport(reports),
  getComplianceReport(reports),
  readComplianceReport(reports),
  cancelComplianceReport(reports),
];
