import { formatBtc } from '../amount.ts';
import type { PricedCoin } from '../coin-selection/output-group.ts';
import { evaluateSelection } from '../coin-selection/selection.ts';
import { DomainError } from '../errors.ts';
import { feeFor, formatFeeRate } from '../fee-rate.ts';
import { DUST_RELAY_FEE_RATE, dustThreshold } from '../relay-policy/dust.ts';
import { type SizedInput, transactionVsize } from '../transactions/sizing.ts';
import { assemblePlan, checkWeight, outputLengths } from './assemble-plan.ts';
import type { PaymentPlan, PlannedOutput } from './payment-plan.ts';
import type { PaymentContext } from './plan-amounts.ts';
import { changeCosts } from './selection-parameters.ts';
import { describeHeldBack } from './spendable-coins.ts';

/**
 * Spends every coin that is worth more than its input costs (or exactly the included ones) and gives one recipient what the others
 * and the fee leave. No change.
 */
export function planMax(context: PaymentContext, rest: PlannedOutput): PaymentPlan {
  const { settings, payees, preset, besides } = context;
  const coins = preset.length > 0 ? preset : context.version.coins.filter((priced) => priced.effectiveSats > 0n);
  // Where there are more than the candidates they are more than fit: only their number and sum are looked at, for the refusal.
  const more = preset.length > 0 || besides === undefined ? { count: 0, sats: 0n } : besides.worthwhile;
  if (coins.length + more.count === 0)
    throw new DomainError(
      'nothing_to_spend',
      `no coin of the wallet is worth more than spending it costs at ${formatFeeRate(settings.feeRate)} sat/vB`,
      { field: 'recipients' },
    );
  checkChain(coins, context.maxAncestors);
  const draft = [...payees.outputs, rest];
  const inputs: SizedInput[] = coins.map((priced) => priced.coin);
  for (let i = 0; i < more.count; i++) inputs.push(inputs[0] ?? settings.change);
  const vsize = transactionVsize(inputs, outputLengths(draft, null));
  const selection = evaluateSelection('all', coins, 0n, changeCosts(settings, settings.change), false);
  const feeSats = feeFor(settings.feeRate, vsize) + selection.bumpFeeSats;
  const totalSats = selection.amountSats + more.sats;
  const amountSats = totalSats - payees.outputsSats - feeSats;
  const least = dustThreshold(Buffer.from(rest.scriptPubKey, 'hex'), settings.dustRelayFeeRate ?? DUST_RELAY_FEE_RATE);
  if (amountSats < least) {
    throw new DomainError(
      'insufficient_funds',
      `of ${formatBtc(totalSats)} BTC the other recipients and the fee of ${formatBtc(feeSats)} leave less than ` +
        `the ${formatBtc(least)} that can be paid${describeHeldBack(context.spendable.heldBack)}`,
      { field: 'recipients' },
    );
  }
  if (more.count > 0) checkWeight(inputs, outputLengths(draft, null));
  const wasteSats = coins.reduce((waste, priced) => waste + priced.feeSats - priced.longTermFeeSats, 0n);
  return assemblePlan(
    {
      version: context.version.version,
      coins: coins.map((priced) => priced.coin),
      outputs: [...payees.outputs, { ...rest, amountSats }],
      changeSats: 0n,
      change: settings.change,
      ancestorFeeSats: selection.bumpFeeSats,
      wasteSats,
      algorithm: preset.length > 0 ? 'manual' : 'all',
    },
    settings,
    context.random,
  );
}

/** All unconfirmed ancestors together must stay within what nodes relay. */
function checkChain(coins: readonly PricedCoin[], maxAncestors: number): void {
  const chains = new Map<string, number>();
  for (const { coin } of coins) if (coin.confirmations === 0) chains.set(coin.txid, coin.ancestry?.ancestorCount ?? 1);
  const ancestors = [...chains.values()].reduce((total, count) => total + count, 0);
  if (ancestors < maxAncestors) return;
  throw new DomainError(
    'too_many_ancestors',
    `all coins together have ${ancestors} unconfirmed ancestors, and nodes relay up to ${maxAncestors - 1}: wait for a block, or ask with min_conf 1 or more for confirmed coins`,
    { field: 'recipients' },
  );
}
