import { formatBtc } from '../amount.ts';
import type { CandidateCoin } from '../coin-selection/candidate.ts';
import { createPricer } from '../coin-selection/output-group.ts';
import { createRandomSource, type RandomSource } from '../coin-selection/random-source.ts';
import { evaluateSelection } from '../coin-selection/selection.ts';
import { DomainError } from '../errors.ts';
import { type FeeRate, feeFor, formatFeeRate } from '../fee-rate.ts';
import { outpointKey } from '../outpoint.ts';
import { OUTPUT_SCRIPT_LENGTH } from '../relay-policy/dust.ts';
import { DEFAULT_MAX_ANCESTORS, MAX_STANDARD_WEIGHT, WITNESS_SCALE } from '../relay-policy/limits.ts';
import { type Replaced, replacementFloor } from '../relay-policy/rbf.ts';
import { TRUC_CHILD_MAX_VSIZE, TRUC_MAX_VSIZE, TRUC_VERSION } from '../relay-policy/truc.ts';
import { transactionVsize } from '../transactions/sizing.ts';
import { assemblePlan, outputLengths, sum } from './assemble-plan.ts';
import { deductFee, type Payees } from './payees.ts';
import type { ChangeTarget, PaymentPlan, PlannedOutput } from './payment-plan.ts';
import { type PaymentContext, planAmounts } from './plan-amounts.ts';
import { planSweep } from './plan-sweep.ts';
import { checkReplacement, ownPart, replacedBy, replacementVersion, replaces, respendable } from './replacement.ts';
import type { BumpRequest, OriginalTransaction } from './replacement-request.ts';
import { changeCosts, LONG_TERM_FEE_RATE } from './selection-parameters.ts';
import { spendableCoins } from './spendable-coins.ts';

/**
 * Plans the replacement of an unconfirmed payment of ours at a higher feerate. It spends all inputs of the original, pays the same
 * recipients, and takes the higher fee from the change, then from `subtractFeeFrom`, then from further confirmed coins. Change stays on
 * the original's change script where it had one. In the plan, `recipient` counts the original's outputs, then the descendants'
 * recipients.
 *
 * Throws `fee_too_low` (fee_rate) naming the rule and the fee that would do, `insufficient_funds` (fee_rate), `fee_too_high` (max_fee),
 * `amount_too_small_for_fee`, `policy_refused`, `too_large`.
 */
export function planBump(request: BumpRequest): PaymentPlan {
  const replaced = replacedBy(request.original, request.descendants);
  const plan = draftBump(request);
  const own = ownPart(replaced);
  if (request.orLeast && !replaces(plan, own, request.floors)) {
    return planBump({ ...request, feeRate: leastBump(request, own, plan.vsize).feeRate, orLeast: false });
  }
  checkReplacement(plan, replaced, request.floors, () => leastBump(request, replaced, plan.vsize));
  return plan;
}

/** Whatever nodes would say of it. */
function draftBump(request: BumpRequest): PaymentPlan {
  const { original } = request;
  const random = createRandomSource(request.randomBytes);
  const change = keptChange(request);
  const inputs = original.inputs.map(respendable);
  const outputs = keptOutputs(request);
  const version = replacementVersion(original);
  return outputs.length === 0
    ? bumpSweep(request, { version, coins: inputs, change }, random)
    : bumpPayment({ ...request, change }, inputs, outputs, random);
}

/**
 * The least feerate, in steps of 0.001 sat/vB, at which nodes take the replacement, above that of `request`, and what it pays then: the
 * part that lifts ancestors grows with the feerate, and change that is used up makes it smaller. Where it takes further coins, which are
 * chosen at random in part, it is that of the smallest replacement, which suffices for every larger one.
 */
export function leastBump(
  request: BumpRequest,
  replaced: Replaced,
  vsize: number,
): { readonly feeRate: FeeRate; readonly feeSats: bigint } {
  const { floors, original } = request;
  const alone = (feeRate: FeeRate): PaymentPlan | null => {
    try {
      return draftBump({ ...request, change: sizedChange(request), candidates: [], feeRate });
    } catch (error) {
      if (error instanceof DomainError) return null;
      throw error;
    }
  };
  const tooLow = (plan: PaymentPlan | null): boolean => plan !== null && !replaces(plan, replaced, floors);
  let below: bigint = request.feeRate;
  let enough: bigint = replacementFloor(replaced, vsize, floors).feeRate;
  while (enough - below > 1n) {
    const middle = (below + enough) / 2n;
    if (tooLow(alone(middle as FeeRate))) below = middle;
    else enough = middle;
  }
  const plan = alone(enough as FeeRate);
  if (plan && !tooLow(plan)) return { feeRate: enough as FeeRate, feeSats: plan.feeSats };
  return replacementFloor(
    replaced,
    transactionVsize(original.inputs, outputLengths(keptOutputs(request), null)),
    floors,
  );
}

/** For sizes only: no change script is taken for it. */
const sizedChange = ({ change }: BumpRequest): ChangeTarget => ({
  ...change,
  scriptPubKey: '00'.repeat(OUTPUT_SCRIPT_LENGTH[change.scriptType]),
});

function keptOutputs({ original, descendants }: BumpRequest): PlannedOutput[] {
  const kept = original.outputs.flatMap(({ scriptPubKey, amountSats, change }, recipient) =>
    change ? [] : [{ scriptPubKey, amountSats, recipient }],
  );
  const carried = (descendants?.recipients ?? []).map(({ scriptPubKey, amountSats }, index) => ({
    scriptPubKey,
    amountSats,
    recipient: original.outputs.length + index,
  }));
  return [...kept, ...carried];
}

/** The original's change script is already shown: using it again tells nobody more, and leaves no gap. */
function keptChange({ original, change }: BumpRequest): ChangeTarget {
  const length = 2 * OUTPUT_SCRIPT_LENGTH[change.scriptType];
  const shown = original.outputs.find((output) => output.change && output.scriptPubKey.length === length);
  return shown ? { ...change, scriptPubKey: shown.scriptPubKey } : change;
}

function bumpSweep(
  request: BumpRequest,
  sweep: { version: 2 | 3; coins: readonly CandidateCoin[]; change: ChangeTarget },
  random: RandomSource,
): PaymentPlan {
  const plan = planSweep({ ...sweep, fee: (vsize) => feeFor(request.feeRate, vsize) }, request, random);
  if ('missingSats' in plan) throw shortOf(request, plan.feeSats);
  return plan;
}

function bumpPayment(
  request: BumpRequest,
  inputs: readonly CandidateCoin[],
  outputs: readonly PlannedOutput[],
  random: RandomSource,
): PaymentPlan {
  const payees: Payees = { outputs, outputsSats: sum(outputs), rest: null, payers: [] };
  const payers = request.subtractFeeFrom ?? [];
  const others = payers.length > 0 ? [] : confirmedOthers(request);
  const context = contextOf(request, payees, inputs, others, random);
  try {
    return planAmounts(context);
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== 'insufficient_funds') throw error;
    if (payers.length > 0) return fromRecipients(context, payers);
    throw shortOf(request, feeFor(request.feeRate, request.original.vsize));
  }
}

/** The kept recipients pay what inputs and outputs of the original leave open; its change, if any, is used up. */
function fromRecipients(context: PaymentContext, payers: readonly number[]): PaymentPlan {
  const { settings, payees, preset, random } = context;
  const kept = new Set(payees.outputs.map((output) => output.recipient));
  for (const [at, index] of payers.entries())
    if (!kept.has(index))
      throw new DomainError('invalid_value', `output ${index} is not one of the transaction's recipients`, {
        field: `subtract_fee_from[${at}]`,
      });
  const coins = preset.map((priced) => priced.coin);
  const costs = changeCosts(settings, settings.change);
  const { bumpFeeSats, wasteSats } = evaluateSelection('manual', preset, payees.outputsSats, costs, true);
  const feeSats = feeFor(settings.feeRate, transactionVsize(coins, outputLengths(payees.outputs, null))) + bumpFeeSats;
  const owedSats = feeSats - (sum(coins) - payees.outputsSats);
  const outputs = deductFee({ outputs: payees.outputs, payers }, owedSats, settings.dustRelayFeeRate);
  const { version } = context.version;
  return assemblePlan(
    {
      ...{ version, coins, outputs, changeSats: 0n, change: settings.change, wasteSats, algorithm: 'manual' },
      ancestorFeeSats: bumpFeeSats,
    },
    settings,
    random,
  );
}

/** Only confirmed coins are added: nodes before version 31 refuse new unconfirmed inputs in a replacement (rule 2). */
function confirmedOthers({ candidates, original }: BumpRequest): CandidateCoin[] {
  const own = new Set(original.inputs.map(outpointKey));
  const others = candidates.filter((coin) => coin.confirmations > 0 && !own.has(outpointKey(coin)));
  return [...spendableCoins(others, { minConf: 1 }).coins];
}

function contextOf(
  request: BumpRequest,
  payees: Payees,
  inputs: readonly CandidateCoin[],
  others: readonly CandidateCoin[],
  random: RandomSource,
): PaymentContext {
  const rates = {
    feeRate: request.feeRate,
    longTermFeeRate: request.longTermFeeRate ?? LONG_TERM_FEE_RATE,
    subtractFee: false,
  };
  const price = createPricer(rates);
  const { original } = request;
  return {
    settings: { ...request, minConf: 1 },
    payees,
    version: { version: replacementVersion(original), coins: others.map(price), maxWeight: maxWeight(original) },
    preset: inputs.map(price),
    spendable: spendableCoins([...inputs, ...others], { minConf: 0 }),
    maxAncestors: request.maxAncestors ?? DEFAULT_MAX_ANCESTORS,
    random,
  };
}

function maxWeight(original: OriginalTransaction): number {
  if (original.version !== TRUC_VERSION) return MAX_STANDARD_WEIGHT;
  const child = original.inputs.some((coin) => coin.confirmations === 0);
  return WITNESS_SCALE * (child ? TRUC_CHILD_MAX_VSIZE : TRUC_MAX_VSIZE);
}

function shortOf(request: BumpRequest, feeSats: bigint): DomainError {
  return new DomainError(
    'insufficient_funds',
    `neither the change of ${request.original.txid} nor other confirmed coins of the wallet can pay about ` +
      `${formatBtc(feeSats)} BTC, which ${formatFeeRate(request.feeRate)} sat/vB come to`,
    { field: 'fee_rate' },
  );
}
