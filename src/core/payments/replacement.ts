import type { CandidateCoin } from '../coin-selection/candidate.ts';
import { DomainError } from '../errors.ts';
import { formatFeeRate } from '../fee-rate.ts';
import {
  MAX_REPLACED_TRANSACTIONS,
  type Replaced,
  type ReplacementFloor,
  replacementFloor,
} from '../relay-policy/rbf.ts';
import { TRUC_VERSION } from '../relay-policy/truc.ts';
import type { PaymentPlan } from './payment-plan.ts';
import type { NodeFloors, OriginalTransaction, ReplacedDescendants } from './replacement-request.ts';

/** What a replacement of `original` evicts. Throws `policy_refused` where that is more than nodes allow (rule 5). */
export function replacedBy(
  original: OriginalTransaction,
  descendants: Omit<ReplacedDescendants, 'recipients'> = { count: 0, feesSats: 0n, foreignFeesSats: 0n },
): Replaced {
  const count = 1 + descendants.count;
  if (count > MAX_REPLACED_TRANSACTIONS)
    throw new DomainError(
      'policy_refused',
      `rule 5: the replacement would evict ${count} transactions, and nodes allow ${MAX_REPLACED_TRANSACTIONS}`,
    );
  return {
    count,
    feesSats: original.feeSats + descendants.feesSats,
    foreignFeesSats: descendants.foreignFeesSats,
    conflicts: [{ feeSats: original.feeSats, vsize: original.vsize }],
  };
}

/**
 * Without the fees of others' descendants: whoever is paid can spend the payment in transactions of any fee. What replaces those is paid where
 * the caller names the feerate, not where an estimate is raised.
 */
export const ownPart = (replaced: Replaced): Replaced => ({
  ...replaced,
  feesSats: replaced.feesSats - replaced.foreignFeesSats,
  foreignFeesSats: 0n,
});

/** Whether the plan pays what nodes ask of a replacement. */
export const replaces = ({ feeSats, vsize }: PaymentPlan, replaced: Replaced, floors: NodeFloors): boolean =>
  feeSats >= replacementFloor(replaced, vsize, floors).feeSats;

/**
 * Throws `fee_too_low` (fee_rate) where nodes would refuse the replacement, naming the rule and the fee that would do, which `least` finds
 * where it isn't simply that of the plan's size.
 */
export function checkReplacement(
  plan: PaymentPlan,
  replaced: Replaced,
  floors: NodeFloors,
  least?: () => Pick<ReplacementFloor, 'feeSats' | 'feeRate'>,
): void {
  if (replaces(plan, replaced, floors)) return;
  const floor = replacementFloor(replaced, plan.vsize, floors);
  const { feeSats, feeRate } = least?.() ?? floor;
  throw new DomainError(
    'fee_too_low',
    `a fee of ${plan.feeSats} sat (${formatFeeRate(plan.feeRate)} sat/vB) is too low to replace the transaction; ` +
      `${floor.rule}. ${feeSats} sat, ${formatFeeRate(feeRate)} sat/vB, would do`,
    { field: 'fee_rate' },
  );
}

export const replacementVersion = (original: OriginalTransaction): 2 | 3 =>
  original.version === TRUC_VERSION ? TRUC_VERSION : 2;

/** An input of the original as a coin of its replacement: the original no longer counts as its parent's descendant. */
export function respendable(coin: CandidateCoin): CandidateCoin {
  return coin.ancestry ? { ...coin, ancestry: { ...coin.ancestry, descendantCount: 1 } } : coin;
}
