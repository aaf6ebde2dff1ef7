import type { Outpoint } from '../../../src/core/outpoint.ts';
import { checkRecipients, type PaymentRecipient } from '../../../src/core/payments/payees.ts';
import type { PaymentPlan } from '../../../src/core/payments/payment-plan.ts';
import { type PaymentPlanning, planPayment } from '../../../src/core/payments/plan-payment.ts';

export interface AskedPayment extends Omit<PaymentPlanning, 'payees' | 'coinControl'> {
  readonly recipients: readonly PaymentRecipient[];
  readonly subtractFeeFrom?: readonly number[];
  readonly include?: readonly Outpoint[];
  readonly exclude?: readonly Outpoint[];
}

/** The plan of a payment to scripts: checked and planned. */
export const planOf = ({ recipients, subtractFeeFrom, include, exclude, ...asked }: AskedPayment): PaymentPlan =>
  planPayment({
    ...{ ...asked, coinControl: { include, exclude } },
    payees: checkRecipients(recipients, subtractFeeFrom, asked.dustRelayFeeRate),
  });
