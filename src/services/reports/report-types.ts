import type { TravelRules } from '../travel-rule/travel-rules.ts';
import type { Usage } from '../usage/usage.ts';
import type { ReportType } from './report-type.ts';
import { accessReview } from './types/access-review.ts';
import { activity } from './types/activity.ts';
import { audit } from './types/audit.ts';
import { cashFlow } from './types/cash-flow.ts';
import { contracts } from './types/contracts.ts';
import { fees } from './types/fees.ts';
import { taxLots } from './types/tax-lots.ts';
import { transactions } from './types/transactions.ts';
import { travelRuleReport } from './types/travel-rule.ts';
import { usageReport } from './types/usage.ts';

/** All that a service makes, but for types that need keys (app/open-services.ts). */
export const reportTypes = ({
  usage,
  travelRules,
}: {
  usage: Pick<Usage, 'list'>;
  travelRules: Pick<TravelRules, 'open'>;
}): ReportType[] => [
  ...[activity, fees, cashFlow, contracts, usageReport(usage)],
  ...[transactions, audit, accessReview, travelRuleReport(travelRules), taxLots],
];

/** As requests name them. */
export const ANALYTICS_TYPES = ['activity', 'fees', 'cash-flow', 'contracts', 'usage'] as const;
export const COMPLIANCE_TYPES = [
  ...(['transactions', 'audit', 'access-review', 'travel-rule', 'tax-lots', 'proof-of-reserves'] as const),
] as const;
