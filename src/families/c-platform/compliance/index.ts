import type { AnyOperation } from '../../../hooks/operation.ts';
import type { AuditServices } from '../../../services/audit/index.ts';
import type { ChooseFeeRate } from '../../../services/fees/choose-fee-rate.ts';
import { anchorAudit } from './anchor-audit.ts';
import { exportAudit } from './export-audit.ts';
import { getAudit } from './get-audit.ts';
import { getAuditCheckpoint } from './get-audit-checkpoint.ts';
import { listAudit } from './list-audit.ts';
import { listAuditAnchor } from './list-audit-anchor.ts';
import { proveAudit } from './prove-audit.ts';

export const complianceOperations = ({
  audit,
  chooseFeeRate,
}: {
  audit: Pick<AuditServices, 'log' | 'anchorHead' | 'anchorProofs'>;
  chooseFeeRate: ChooseFeeRate;
}): AnyOperation[] => [
  listAudit(audit.log),
  getAuditCheckpoint(audit.log),
  exportAudit(audit.log),
  listAuditAnchor(audit.anchorProofs),
  anchorAudit(audit.anchorHead, chooseFeeRate),
  getAudit(audit.log),
  proveAudit(audit.log),
];
