import type { ContractCheck } from '../../../core/dlc/contract/contract-check.ts';
import { encryptionPointsCheck } from '../../../core/dlc/contract/contract-checks.ts';
import { DomainError } from '../../../core/errors.ts';
import type { AdaptorWork } from './adaptor-work.ts';
import type { Terms } from './shared-points.ts';

/** What there is to say of the points of an offer, be it that there are none: too many cases, or nothing to decide. */
export async function checkPoints(cets: Pick<AdaptorWork, 'sharedPoint'>, terms: Terms): Promise<ContractCheck> {
  try {
    return encryptionPointsCheck(await cets.sharedPoint(terms));
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== 'contract_refused') throw error;
    return { check: 'encryption_points', verdict: 'failed', message: 'offer', index: null, reason: error.message };
  }
}
