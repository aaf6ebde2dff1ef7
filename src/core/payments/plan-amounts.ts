import { formatBtc, satsHint } from '../amount.ts';
import { compactSizeLength } from '../blocks/compact-size.ts';
import { eligibilityLadder } from '../coin-selection/eligibility.ts';
import type { PricedCoin } from '../coin-selection/output-group.ts';
import type { RandomSource } from '../coin-selection/random-source.ts';
import { selectCoins } from '../coin-selection/select-coins.ts';
import { evaluateSelection, type Selection } from '../coin-selection/selection.ts';
import { DomainError } from '../errors.ts';
import { type FeeRate, feeFor, formatFeeRate } from '../fee-rate.ts';
import { outputSize } from '../relay-policy/dust.ts';
import { MAX_STANDARD_WEIGHT, WITNESS_SCALE } from '../relay-policy/limits.ts';
import { transactionVsize } from '../transactions/sizing.ts';
import { assemblePlan, outputLengths, sum } from './assemble-plan.ts';
import { deductFee, type Payees } from './payees.ts';
import type { PaymentPlan, SelectionSettings } from './payment-plan.ts';
import { changeCosts, selectionParameters } from './selection-parameters.ts';
import { describeHeldBack, type OtherCoins, type SpendableCoins } from './spendable-coins.ts';
import type { SpendingVersion } from './spending-versions.ts';

/** What one attempt needs to know. */
export interface PaymentContext {
  readonly settings: SelectionSettings;
  readonly payees: Payees;
  readonly version: SpendingVersion;
  readonly preset: readonly PricedCoin[];
  readonly spendable: SpendableCoins;
  /** What the wallet has besides those of `version`. */
  readonly besides?: OtherCoins | undefined;
  readonly maxAncestors: number;
  readonly random: RandomSource;
}

/** Virtual bytes of all but inputs and change: version, locktime, counts, segwit marker rounded up, outputs. */
export function fixedVsize(outputs: readonly { readonly scriptPubKey: string }[]): number {
  return outputLengths(outputs, null).reduce(
    (size, length) => size + outputSize(length),
    10 + compactSizeLength(outputs.length),
  );
}

/** What the inputs are to come to, their own fees paid. */
export const targetOf = ({ outputs, outputsSats, payers }: Payees, feeRate: FeeRate, reserveVsize = 0): bigint =>
  outputsSats + (payers.length > 0 ? 0n : feeFor(feeRate, fixedVsize(outputs) + reserveVsize));

/** Rounds in which the estimate of the fixed part is corrected, after which something is wrong with it. */
const MAX_CORRECTIONS = 5;

/** Chooses coins for fixed amounts and settles fee and change by the exact size of the signed transaction. */
export function planAmounts(context: PaymentContext): PaymentPlan {
  const { settings, payees } = context;
  // Selection counts whole bytes per input and one byte for their number; where that falls short of the exact size, it runs again.
  let reserveVsize = 0;
  for (let round = 0; round < MAX_CORRECTIONS; round++) {
    const selection = presetAlone(context) ?? select(context, reserveVsize);
    const settled = settle(context, selection);
    if ('missingSats' in settled) {
      reserveVsize += Number((settled.missingSats * 1000n) / settings.feeRate) + 1;
      continue;
    }
    const outputs =
      payees.payers.length > 0
        ? deductFee(payees, settled.fromRecipientsSats, settings.dustRelayFeeRate)
        : payees.outputs;
    const { wasteSats, algorithm, bumpFeeSats: ancestorFeeSats } = selection;
    const parts = {
      version: context.version.version,
      outputs,
      changeSats: settled.changeSats,
      change: settings.change,
    };
    const coins = selection.coins.map((priced) => priced.coin);
    const plan = assemblePlan({ ...parts, coins, ancestorFeeSats, wasteSats, algorithm }, settings, context.random);
    return { ...plan, ...(selection.bounded !== undefined && { bounded: selection.bounded }) };
  }
  throw new Error('the size of a payment could not be settled');
}

/** The preset coins, where by exact size they suffice: selection's estimates, rounded up per input, might ask for one more. */
function presetAlone(context: PaymentContext): Selection | null {
  const { settings, payees, preset } = context;
  if (preset.length === 0 || payees.payers.length > 0) return null;
  const vsize = transactionVsize(
    preset.map((priced) => priced.coin),
    outputLengths(payees.outputs, null),
  );
  const inputsVsize = preset.reduce((size, priced) => size + Math.ceil(priced.weight / WITNESS_SCALE), 0);
  const targetSats = payees.outputsSats + feeFor(settings.feeRate, Math.max(0, vsize - inputsVsize));
  const selection = evaluateSelection('manual', preset, targetSats, changeCosts(settings, settings.change), false);
  return 'missingSats' in settle(context, selection) ? null : selection;
}

function select(context: PaymentContext, reserveVsize: number): Selection {
  const { settings, payees, version, maxAncestors, random } = context;
  const subtractFee = payees.payers.length > 0;
  const size = fixedVsize(payees.outputs) + reserveVsize;
  const targetSats = targetOf(payees, settings.feeRate, reserveVsize);
  const parameters = selectionParameters(
    settings,
    settings.change,
    {
      averagePaymentSats: payees.outputsSats / BigInt(payees.outputs.length),
      subtractFee,
      maxWeight: version.maxWeight,
      fixedVsize: size,
    },
    random,
  );
  const together = settings.groupByScript ?? true;
  const ladder = eligibilityLadder(settings.minConf ?? 1, maxAncestors);
  const outcome = selectCoins({
    coins: version.coins,
    preset: context.preset,
    targetSats,
    ladder,
    parameters,
    together,
  });
  if (outcome.selection) return outcome.selection;
  throw refusal(context, outcome.reason, targetSats);
}

type Settled =
  | { readonly changeSats: bigint; readonly fromRecipientsSats: bigint }
  /** The fee falls this short of the exact size's. */
  | { readonly missingSats: bigint };

/** Change and fee from the exact size of the signed transaction. */
function settle({ settings, payees }: PaymentContext, selection: Selection): Settled {
  const inputs = selection.coins.map((priced) => priced.coin);
  const feeWith = (change: boolean): bigint =>
    feeFor(settings.feeRate, transactionVsize(inputs, outputLengths(payees.outputs, change ? settings.change : null))) +
    selection.bumpFeeSats;
  const leftSats = selection.amountSats - payees.outputsSats;
  const { minViableChangeSats } = changeCosts(settings, settings.change);
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
  const { settings, payees, version, spendable, maxAncestors, besides } = context;
  const priced = [...context.preset, ...version.coins];
  const worth = (coin: PricedCoin): bigint => (payees.payers.length > 0 ? coin.coin.amountSats : coin.effectiveSats);
  const worthOf = (coins: readonly PricedCoin[]): bigint =>
    coins.filter((coin) => coin.effectiveSats > 0n).reduce((total, coin) => total + worth(coin), 0n);
  const besidesSats = (payees.payers.length > 0 ? besides?.worthwhile.sats : besides?.effectiveSats) ?? 0n;
  const worthSats = worthOf(priced) + besidesSats;
  // What is not among the candidates holds less than each of them: it would be more inputs than fit.
  const tooMany =
    besidesSats > 0n && besidesSats + worthOf(priced.filter(({ coin }) => coin.confirmations > 0)) >= targetSats;
  if (reason === 'max-weight' || tooMany) {
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
  if (worthSats >= targetSats) {
    return new DomainError(
      'too_many_ancestors',
      `the funds lie behind chains of unconfirmed transactions longer than nodes relay (${maxAncestors}); wait for a block`,
      { field: 'recipients' },
    );
  }
  const available = sum([...spendable.preset, ...spendable.coins]) + (besides?.spendable.sats ?? 0n);
  const missing = targetSats - worthSats;
  return new DomainError(
    'insufficient_funds',
    `${formatBtc(payees.outputsSats)} BTC plus fee are asked for, and the wallet has ${formatBtc(available)} BTC to spend: ` +
      `${formatBtc(missing)} BTC are missing at ${formatFeeRate(settings.feeRate)} sat/vB${describeHeldBack(spendable.heldBack)}` +
      satsHint(
        payees.outputs.map(({ amountSats }) => amountSats),
        available,
      ),
    { field: 'recipients' },
  );
}
