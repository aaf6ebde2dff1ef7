import type { ReportType } from './report-type.ts';
import { activity } from './types/activity.ts';
import { audit } from './types/audit.ts';

/** All that a service makes without anything else; types that need more are made where they are put together (app/open-reports.ts). */
export const REPORT_TYPES: readonly ReportType[] = [activity, audit];

/** As requests name them. */
export const ANALYTICS_TYPES = ['activity'] as const;
export const COMPLIANCE_TYPES = ['audit', 'proof-of-reserves'] as const;
