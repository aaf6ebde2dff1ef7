import { formatBtc } from '../amount.ts';
import { ancestorFee } from '../coin-selection/ancestor-fees.ts';
import type { CandidateCoin } from '../coin-selection/candidate.ts';
import { createRandomSource } from '../coin-selection/random-source.ts';
import { DomainError } from '../errors.ts';
import { feeFor, feeRateOf, formatFeeRate } from '../fee-rate.ts';
import { TRUC_VERSION } from '../relay-policy/truc.ts';
import { inputWeight } from '../transactions/sizing.ts';
import type { PaymentPlan } from './payment-plan.ts';
import { planSweep } from './plan-sweep.ts';
import type { CpfpRequest } from './replacement-request.ts';
import { spendableCoins } from './spendable-coins.ts';

/**
 * Plans a child of an unconfirmed transaction that pays us, such that parent, its unconfirmed ancestors and child together reach
 * `feeRate`. It spends our largest output of the parent, then the others, then further confirmed coins, and pays to one output of ours.
 *
 * Throws `fee_too_low` (fee_rate) where the package pays that already or another child lifts it, `nothing_to_spend` where no output of the
 * parent is free, `insufficient_funds` (fee_rate), `fee_too_high` (max_fee), `truc_violation`.
 */
export function planCpfp(request: CpfpRequest): PaymentPlan {
  const { parent, feeRate, floors } = request;
  const present = feeRateOf(parent.packageFeesSats, parent.packageVsize);
  if (present >= feeRate)
    throw new DomainError(
      'fee_too_low',
      `${parent.txid} with its unconfirmed ancestors pays ${formatFeeRate(present)} sat/vB already, and ${formatFeeRate(feeRate)} sat/vB were asked for: ask for more than it pays`,
      { field: 'fee_rate' },
    );
  const own = spendableCoins(request.coins, { minConf: 0 }).coins;
  if (own.length === 0)
    throw new DomainError(
      'nothing_to_spend',
      `no output of ${parent.txid} is ours, unspent and free, so that no child can pay for it`,
    );
  if (own.some((coin) => coin.ancestry?.relatives?.length) && ancestorFee(own, feeRate) === 0n)
    throw new DomainError(
      'fee_too_low',
      `another child of ${parent.txid} or of its unconfirmed ancestors lifts it to ${formatFeeRate(feeRate)} sat/vB already; ask for more than that`,
      { field: 'fee_rate' },
    );
  const childFee = (vsize: number): bigint => {
    const lacking = feeFor(feeRate, parent.packageVsize + vsize) - parent.packageFeesSats;
    const least = feeFor(floors.minFeeRate, vsize);
    return lacking > least ? lacking : least;
  };
  const random = createRandomSource(request.randomBytes);
  const queue = [...largestFirst(own), ...helpfulOthers(request)];
  const coins: CandidateCoin[] = [];
  let missingSats = 0n;
  let heldSats = 0n;
  let neededSats = 0n;
  for (const [at, coin] of queue.entries()) {
    coins.push(coin);
    heldSats += coin.amountSats;
    // With every further coin more is needed: until they hold as much they need not be looked at.
    if (heldSats < neededSats && at < queue.length - 1) continue;
    const plan = planSweep(
      {
        version: parent.version === TRUC_VERSION ? TRUC_VERSION : 2,
        coins,
        change: request.change,
        fee: childFee,
      },
      request,
      random,
    );
    if (!('missingSats' in plan)) {
      const ownSats = feeFor(feeRate, plan.vsize);
      return { ...plan, ancestorFeeSats: plan.feeSats > ownSats ? plan.feeSats - ownSats : 0n };
    }
    missingSats = plan.missingSats;
    neededSats = heldSats + missingSats;
  }
  throw new DomainError(
    'insufficient_funds',
    `our outputs of ${parent.txid} and the wallet's confirmed coins lack ${formatBtc(missingSats)} BTC ` +
      `to lift the package to ${formatFeeRate(feeRate)} sat/vB`,
    { field: 'fee_rate' },
  );
}

/** Confirmed coins that add more than their input costs, largest first. */
function helpfulOthers({ candidates, coins, feeRate }: CpfpRequest): CandidateCoin[] {
  const parents = new Set(coins.map((coin) => coin.txid));
  const others = candidates.filter(
    (coin) =>
      coin.confirmations > 0 &&
      !parents.has(coin.txid) &&
      coin.amountSats > feeFor(feeRate, Math.ceil(inputWeight(coin.scriptType, coin.inputWeight) / 4)),
  );
  return largestFirst(spendableCoins(others, { minConf: 1 }).coins);
}

const largestFirst = (coins: readonly CandidateCoin[]): CandidateCoin[] =>
  [...coins].sort((a, b) => (b.amountSats > a.amountSats ? 1 : b.amountSats < a.amountSats ? -1 : 0));
