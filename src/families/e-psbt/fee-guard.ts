import { DomainError } from '../../core/errors.ts';
import { type FeeRate, feeRateOf, formatFeeRate } from '../../core/fee-rate.ts';
import type { PlainExtracted } from '../../core/psbt/jobs/psbt-jobs.ts';

/** Before a transaction is handed over: throws `fee_too_high` where it pays above `most` by what the PSBT says. null: any is meant. */
export function refuseHighFee({ feeSats, vsize }: PlainExtracted, most: FeeRate | null): void {
  if (most === null || feeSats === null || feeSats <= 0n) return;
  const rate = feeRateOf(feeSats, vsize);
  if (rate <= most) return;
  throw new DomainError(
    'fee_too_high',
    `the transaction pays ${formatFeeRate(rate)} sat/vB, more than the ${formatFeeRate(most)} sat/vB that max_fee_rate allows: ` +
      'where that fee is meant, give a higher max_fee_rate, or "none" for no limit',
    { field: 'max_fee_rate' },
  );
}
