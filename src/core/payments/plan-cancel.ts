import { formatBtc } from '../amount.ts';
import { createRandomSource } from '../coin-selection/random-source.ts';
import { DomainError } from '../errors.ts';
import { feeFor } from '../fee-rate.ts';
import { replacementFloor } from '../relay-policy/rbf.ts';
import type { PaymentPlan } from './payment-plan.ts';
import { planSweep } from './plan-sweep.ts';
import { checkReplacement, ownPart, replacedBy, replacementVersion, respendable } from './replacement.ts';
import type { CancelRequest } from './replacement-request.ts';

/**
 * Plans the double spend of an unconfirmed payment of ours: all its inputs back to one output of ours. Throws `fee_too_low` (fee_rate)
 * naming the rule and the fee that would do, `insufficient_funds` where the inputs cannot pay that fee, `fee_too_high` (max_fee),
 * `policy_refused` where too many transactions would be evicted.
 */
export function planCancel(request: CancelRequest): PaymentPlan {
  const { original, floors, feeRate, orLeast = false } = request;
  const replaced = replacedBy(original, request.descendants);
  const leastFee = (vsize: number): bigint => replacementFloor(ownPart(replaced), vsize, floors).feeSats;
  const fee = (vsize: number): bigint => {
    const least = leastFee(vsize);
    const asked = feeRate === 'minimum' ? least : feeFor(feeRate, vsize);
    return orLeast && asked < least ? least : asked;
  };
  const plan = planSweep(
    {
      version: replacementVersion(original),
      coins: original.inputs.map(respendable),
      change: request.change,
      fee,
    },
    request,
    createRandomSource(request.randomBytes),
  );
  if ('missingSats' in plan)
    throw new DomainError(
      'insufficient_funds',
      `the inputs of ${original.txid} cannot pay the fee of ${formatBtc(plan.feeSats)} BTC that its cancellation needs`,
      { field: 'fee_rate' },
    );
  checkReplacement(plan, replaced, floors);
  return plan;
}
