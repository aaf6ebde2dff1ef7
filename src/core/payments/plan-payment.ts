import type { CandidateCoin } from '../coin-selection/candidate.ts';
import { createPricer, type PricedCoin } from '../coin-selection/output-group.ts';
import { createRandomSource } from '../coin-selection/random-source.ts';
import { DomainError } from '../errors.ts';
import { DEFAULT_MAX_ANCESTORS } from '../relay-policy/limits.ts';
import { sum } from './assemble-plan.ts';
import type { Payees } from './payees.ts';
import type { PaymentPlan, PaymentRequest, SelectionSettings } from './payment-plan.ts';
import { fixedVsize, type PaymentContext, planAmounts, targetOf } from './plan-amounts.ts';
import { planMax } from './plan-max.ts';
import { LONG_TERM_FEE_RATE } from './selection-parameters.ts';
import { describeHeldBack, type OtherCoins, spendableCoins } from './spendable-coins.ts';
import { spendingVersions } from './spending-versions.ts';

/** A request's choices, and what else a payment is planned with. */
export interface PaymentPlanning extends SelectionSettings, Pick<PaymentRequest, 'coinControl'> {
  readonly payees: Payees;
  readonly candidates: readonly CandidateCoin[];
  /** What the wallet has besides the candidates, for refusals to say; nothing unless given. */
  readonly besides?: OtherCoins | undefined;
}

/**
 * Plans a payment: chooses coins after Bitcoin Core, sets fee, change, order and locktime. Nothing is random but through
 * `randomBytes`, nothing is signed.
 *
 * Throws DomainError: `insufficient_funds` (recipients), `amount_too_small_for_fee` (recipients[i].amount), `fee_too_high` (max_fee),
 * `too_large`, `too_many_ancestors`, `truc_violation` and `coin_unavailable` (coin_control), `nothing_to_spend`, `policy_refused`.
 */
export function planPayment(planning: PaymentPlanning): PaymentPlan {
  const { payees, coinControl, minConf = 1 } = planning;
  const spendable = spendableCoins(planning.candidates, { ...coinControl, minConf }, planning.besides);
  if (spendable.coins.length + spendable.preset.length + (planning.besides?.spendable.count ?? 0) === 0)
    throw new DomainError(
      'insufficient_funds',
      `the wallet has no coin to spend${describeHeldBack(spendable.heldBack)}`,
      {
        field: 'recipients',
      },
    );
  const random = createRandomSource(planning.randomBytes);
  const maxAncestors = planning.maxAncestors ?? DEFAULT_MAX_ANCESTORS;
  const subtractFee = payees.payers.length > 0;
  const price = pricer(planning, subtractFee);
  const preset = spendable.preset.map(price);
  const goal = {
    targetSats: payees.rest ? null : targetOf(payees, planning.feeRate),
    fixedVsize: fixedVsize(payees.rest ? [...payees.outputs, payees.rest] : payees.outputs),
    subtractFee,
  };
  const attempts = spendingVersions(spendable.coins.map(price), preset, goal).map((version) => () => {
    const context: PaymentContext = {
      settings: planning,
      payees,
      version,
      preset,
      spendable,
      besides: planning.besides,
      maxAncestors,
      random,
    };
    return payees.rest ? planMax(context, payees.rest) : planAmounts(context);
  });
  return payees.rest ? most(attempts) : first(attempts);
}

function pricer(settings: SelectionSettings, subtractFee: boolean): (coin: CandidateCoin) => PricedCoin {
  const rates = {
    feeRate: settings.feeRate,
    longTermFeeRate: settings.longTermFeeRate ?? LONG_TERM_FEE_RATE,
    subtractFee,
  };
  return createPricer(rates);
}

/** The first version that pays; the refusal of the first, where none does. */
function first(attempts: readonly (() => PaymentPlan)[]): PaymentPlan {
  let refusal: unknown;
  for (const attempt of attempts) {
    try {
      return attempt();
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      refusal ??= error;
    }
  }
  throw refusal;
}

/** The version that pays most. */
function most(attempts: readonly (() => PaymentPlan)[]): PaymentPlan {
  const plans: PaymentPlan[] = [];
  for (const attempt of attempts) {
    try {
      plans.push(attempt());
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
    }
  }
  const best = plans.sort((a, b) => (sum(b.outputs) > sum(a.outputs) ? 1 : -1))[0];
  return best ?? first(attempts);
}
