import { formatBtc } from '../amount.ts';
import type { CandidateCoin } from '../coin-selection/candidate.ts';
import { eligibilityLadder } from '../coin-selection/eligibility.ts';
import { type PricedCoin, priceCoin } from '../coin-selection/output-group.ts';
import { createRandomSource } from '../coin-selection/random-source.ts';
import { selectCoins } from '../coin-selection/select-coins.ts';
import type { Selection } from '../coin-selection/selection.ts';
import { DomainError } from '../errors.ts';
import { feeFor, formatFeeRate } from '../fee-rate.ts';
import { compactSizeLength, outputSize } from '../policy/dust.ts';
import { DEFAULT_MAX_ANCESTORS, MAX_STANDARD_WEIGHT } from '../policy/limits.ts';
import { assemblePlan, outputLengths, sum } from './assemble-plan.ts';
import { checkRecipients } from './check-recipients.ts';
import { deductFee } from './deduct-fee.ts';
import type { PaymentContext } from './payment-context.ts';
import type { PaymentPlan, PaymentRequest } from './payment-plan.ts';
import { planMax } from './plan-max.ts';
import { changeCosts, LONG_TERM_FEE_RATE, selectionParameters } from './selection-parameters.ts';
import { transactionVsize } from './sizing.ts';
import { describeHeldBack, spendableCoins } from './spendable-coins.ts';
import { spendingVersions } from './spending-versions.ts';

export type {
  ChangeTarget,
  PaymentPlan,
  PaymentRecipient,
  PaymentRequest,
  PlannedInput,
  PlannedOutput,
  PlanSettings,
  PlanTip,
} from './payment-plan.ts';

/**
 * Plans a payment: chooses coins after Bitcoin Core, sets fee, change, order and locktime. Nothing is random but through
 * `randomBytes`, nothing is signed.
 *
 * Throws DomainError: `insufficient_funds` (recipients), `dust` and `invalid_amount` (recipients[i].amount), `amount_too_small_for_fee`
 * (the same), `fee_too_high` (max_fee), `too_large`, `too_many_ancestors`, `truc_violation` and `coin_unavailable` (coin_control),
 * `nothing_to_spend`, `policy_refused`, `invalid_value`.
 */
export function planPayment(request: PaymentRequest): PaymentPlan {
  const payees = checkRecipients(request.recipients, request.subtractFeeFrom ?? [], request.dustRelayFeeRate);
  const spendable = spendableCoins(request.candidates, {
    ...(request.include && { include: request.include }),
    ...(request.exclude && { exclude: request.exclude }),
    minConf: request.minConf ?? 1,
  });
  if (spendable.coins.length + spendable.preset.length === 0)
    throw new DomainError(
      'insufficient_funds',
      `the wallet has no coin to spend${describeHeldBack(spendable.heldBack)}`,
      {
        field: 'recipients',
      },
    );
  const random = createRandomSource(request.randomBytes);
  const maxAncestors = request.maxAncestors ?? DEFAULT_MAX_ANCESTORS;
  const price = pricer(request, payees.payers.length > 0);
  const attempts = spendingVersions(spendable).map((version) => () => {
    const context: PaymentContext = {
      request,
      payees,
      version,
      preset: spendable.preset.map(price),
      coins: version.coins.map(price),
      spendable,
      maxAncestors,
      random,
    };
    return payees.rest ? planMax(context, payees.rest) : planAmounts(context);
  });
  return payees.rest ? most(attempts) : first(attempts);
}

function pricer(request: PaymentRequest, subtractFee: boolean): (coin: CandidateCoin) => PricedCoin {
  const rates = {
    feeRate: request.feeRate,
    longTermFeeRate: request.longTermFeeRate ?? LONG_TERM_FEE_RATE,
    subtractFee,
  };
  return (coin) => priceCoin(coin, rates);
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

/** Virtual bytes of all but inputs and change: version, locktime, counts, segwit marker rounded up, outputs. */
export function fixedVsize(outputs: readonly { readonly scriptPubKey: string }[]): number {
  return outputLengths(outputs, null).reduce(
    (size, length) => size + outputSize(length),
    10 + compactSizeLength(outputs.length),
  );
}

/** Rounds in which the estimate of the fixed part is corrected, after which something is wrong with it. */
const MAX_CORRECTIONS = 5;

function planAmounts(context: PaymentContext): PaymentPlan {
  const { request, payees } = context;
  // Selection counts whole bytes per input and one byte for their number; where that falls short of the exact size, it runs again.
  let reserveVsize = 0;
  for (let round = 0; round < MAX_CORRECTIONS; round++) {
    const selection = select(context, reserveVsize);
    const settled = settle(context, selection);
    if ('missingSats' in settled) {
      reserveVsize += Number((settled.missingSats * 1000n) / request.feeRate) + 1;
      continue;
    }
    const outputs =
      payees.payers.length > 0
        ? deductFee(payees, settled.fromRecipientsSats, request.dustRelayFeeRate)
        : payees.outputs;
    const { wasteSats, algorithm } = selection;
    const parts = { version: context.version.version, outputs, changeSats: settled.changeSats, change: request.change };
    const coins = selection.coins.map((priced) => priced.coin);
    return assemblePlan({ ...parts, coins, wasteSats, algorithm }, request, context.random);
  }
  throw new Error('the size of a payment could not be settled');
}

function select(context: PaymentContext, reserveVsize: number): Selection {
  const { request, payees, version, maxAncestors, random } = context;
  const subtractFee = payees.payers.length > 0;
  const size = fixedVsize(payees.outputs) + reserveVsize;
  const targetSats = payees.outputsSats + (subtractFee ? 0n : feeFor(request.feeRate, size));
  const parameters = selectionParameters(
    request,
    request.change,
    {
      averagePaymentSats: payees.outputsSats / BigInt(payees.outputs.length),
      subtractFee,
      maxWeight: version.maxWeight,
      fixedVsize: size,
    },
    random,
  );
  const ladder = eligibilityLadder(request.minConf ?? 1, maxAncestors);
  const outcome = selectCoins({ coins: context.coins, preset: context.preset, targetSats, ladder, parameters });
  if (outcome.selection) return outcome.selection;
  throw refusal(context, outcome.reason, targetSats);
}

type Settled =
  | { readonly changeSats: bigint; readonly fromRecipientsSats: bigint }
  /** The fee falls this short of the exact size's. */
  | { readonly missingSats: bigint };

/** Change and fee from the exact size of the signed transaction. */
function settle({ request, payees }: PaymentContext, selection: Selection): Settled {
  const inputs = selection.coins.map((priced) => priced.coin);
  const feeWith = (change: boolean): bigint =>
    feeFor(request.feeRate, transactionVsize(inputs, outputLengths(payees.outputs, change ? request.change : null))) +
    selection.bumpFeeSats;
  const leftSats = selection.amountSats - payees.outputsSats;
  const { minViableChangeSats } = changeCosts(request, request.change);
  if (payees.payers.length > 0) {
    if (leftSats >= minViableChangeSats) return { changeSats: leftSats, fromRecipientsSats: feeWith(true) };
    const owed = feeWith(false) - leftSats;
    // What is too little for change pays the fee first; recipients never get more than was asked.
    return { changeSats: 0n, fromRecipientsSats: owed > 0n ? owed : 0n };
  }
  const changeSats = leftSats - feeWith(true);
  if (changeSats >= minViableChangeSats) return { changeSats, fromRecipientsSats: 0n };
  const missingSats = feeWith(false) - leftSats;
  return missingSats > 0n ? { missingSats } : { changeSats: 0n, fromRecipientsSats: 0n };
}

function refusal(context: PaymentContext, reason: 'insufficient' | 'max-weight', targetSats: bigint): DomainError {
  const { request, payees, version, spendable, maxAncestors } = context;
  if (reason === 'max-weight') {
    const limit =
      version.maxWeight < MAX_STANDARD_WEIGHT
        ? `${version.maxWeight / 4} vB, which a child of an unconfirmed version 3 transaction may have`
        : `${MAX_STANDARD_WEIGHT} weight units that nodes relay`;
    return new DomainError(
      'too_large',
      `the amount needs more coins than fit into the ${limit}; pay less at once or consolidate the wallet first`,
      { field: 'recipients' },
    );
  }
  const priced = [...context.preset, ...context.coins];
  const worth = (coin: PricedCoin): bigint => (payees.payers.length > 0 ? coin.coin.amountSats : coin.effectiveSats);
  const positive = priced.filter((coin) => coin.effectiveSats > 0n);
  const worthSats = positive.reduce((total, coin) => total + worth(coin), 0n);
  if (worthSats >= targetSats) {
    return new DomainError(
      'too_many_ancestors',
      `the funds lie behind chains of unconfirmed transactions longer than nodes relay (${maxAncestors}); wait for a block`,
      { field: 'recipients' },
    );
  }
  const available = sum([...spendable.preset, ...spendable.coins]);
  const missing = targetSats - worthSats;
  return new DomainError(
    'insufficient_funds',
    `${formatBtc(payees.outputsSats)} BTC plus fee are asked for, and the wallet has ${formatBtc(available)} BTC to spend: ` +
      `${formatBtc(missing)} BTC are missing at ${formatFeeRate(request.feeRate)} sat/vB${describeHeldBack(spendable.heldBack)}`,
    { field: 'recipients' },
  );
}
