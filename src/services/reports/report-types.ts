import type { Usage } from '../usage/usage.ts';
import type { ReportType } from './report-type.ts';
import { accessReview } from './types/access-review.ts';
import { activity } from './types/activity.ts';
import { audit } from './types/audit.ts';
import { cashFlow } from './types/cash-flow.ts';
import { contracts } from './types/contracts.ts';
import { fees } from './types/fees.ts';
import { transactions } from './types/transactions.ts';
import { usageReport } from './types/usage.ts';

/** All that a service makes, but for types that need keys (app/open-services.ts). */
export const reportTypes = ({ usage }: { usage: Pick<Usage, 'list'> }): ReportType[] => [
  ...[activity, fees, cashFlow, contracts, usageReport(usage)],
  ...[transactions, audit, accessReview],
];

/** As requests name them. */
export const ANALYTICS_TYPES = ['activity', 'fees', 'cash-flow', 'contracts', 'usage'] as const;
export const COMPLIANCE_TYPES = ['transactions', 'audit', 'access-review', 'proof-of-reserves'] as const;
