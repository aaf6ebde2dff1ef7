import { formatBtc } from '../amount.ts';
import { DomainError } from '../errors.ts';
import type { FeeRate } from '../fee-rate.ts';
import { DUST_RELAY_FEE_RATE, dustThreshold } from '../policy/dust.ts';
import type { Payees } from './check-recipients.ts';
import type { PlannedOutput } from './payment-plan.ts';

/**
 * Takes `feeSats` from the recipients who pay it, in equal parts, the remainder from the first of them. Throws
 * `amount_too_small_for_fee` where that leaves less than nothing or dust.
 */
export function deductFee(
  payees: Pick<Payees, 'outputs' | 'payers'>,
  feeSats: bigint,
  dustRelayFeeRate: FeeRate = DUST_RELAY_FEE_RATE,
): PlannedOutput[] {
  const payers = new Set(payees.payers);
  const share = feeSats / BigInt(payers.size);
  let remainder = feeSats % BigInt(payers.size);
  return payees.outputs.map((output) => {
    if (output.recipient === null || !payers.has(output.recipient)) return output;
    const amountSats = output.amountSats - share - remainder;
    remainder = 0n;
    const least = dustThreshold(Buffer.from(output.scriptPubKey, 'hex'), dustRelayFeeRate);
    if (amountSats < least) {
      throw new DomainError(
        'amount_too_small_for_fee',
        `${formatBtc(output.amountSats)} BTC cannot pay its part of the fee of ${formatBtc(feeSats)}: ` +
          `at least ${formatBtc(least)} must be left of it`,
        { field: `recipients[${output.recipient}].amount` },
      );
    }
    return { ...output, amountSats };
  });
}
