import type { ChainSource } from '../../../chain/chain-source.ts';
import type { CandidateCoin } from '../../../core/coin-selection/candidate.ts';
import { DomainError } from '../../../core/errors.ts';
import { outpointKey } from '../../../core/outpoint.ts';
import { inputFee } from '../../../core/payments/coin-sums.ts';
import type { PaymentPlan } from '../../../core/payments/payment-plan.ts';
import { type PaymentPlanning, planPayment } from '../../../core/payments/plan-payment.ts';
import { isLongPlan, type PlanningJobs, planOf, planParams } from '../../../core/payments/planning-job.ts';
import type { OtherCoins } from '../../../core/payments/spendable-coins.ts';
import type { Computing } from '../../../engines/computing/computing.ts';
import { createFairQueue } from '../../../scheduling/fair-queue.ts';
import type { CoinRecord, WalletRecord } from '../../../store/records.ts';
import type { Repositories } from '../../../store/store.ts';
import { createAncestryLookup } from '../coins/ancestry.ts';
import { type CandidateModel, namedCoins, spendableAmong, toCandidate, withAncestry } from '../coins/candidates.ts';
import { ownTurn } from '../coins/own-turn.ts';
import { type FreeCoins, isPlanRefusal, isShortage } from '../coins/wallet-lease.ts';
import type { Batch } from './batch.ts';

/** The workers refuse what an account asks for beyond some tens (engines/computing): so many payments at once are no reason for a refusal. */
const searches = createFairQueue({ all: Number.POSITIVE_INFINITY, ofAccount: 8 });

interface PaymentSource {
  readonly read: Pick<Repositories, 'coins' | 'transactions'>;
  readonly chain: Pick<ChainSource, 'mempoolEntry'>;
  readonly computing: Computing<PlanningJobs>;
  readonly wallet: WalletRecord;
  readonly model: CandidateModel;
  readonly batch?: Batch | undefined;
  /** Ends a search beside this thread. */
  readonly signal?: AbortSignal | undefined;
}

type Planning = Omit<PaymentPlanning, 'candidates' | 'besides'>;

/**
 * Plans a payment on its wallet's free coins, and the ones that it names, and takes what it spends. Where these are not all of the wallet's
 * coins, a refusal says what all come to.
 */
export async function planWalletPayment(
  coins: FreeCoins,
  planning: Planning,
  source: PaymentSource,
): Promise<PaymentPlan> {
  const { read, wallet, model } = source;
  const { include = [], exclude = [] } = planning.coinControl ?? {};
  const asCandidate = (coin: CoinRecord) => toCandidate(coin, model, planning.tip.height);
  const named = await namedCoins(read, wallet, include, coins);
  const further = named.map(asCandidate);
  // Taken by another payment since it was looked at: as with any other coin that is not free, the plan says so.
  const candidates = () => [...coins.candidates(), ...further.filter((coin) => !coins.isTaken(outpointKey(coin)))];
  const takesAll = planning.payees.rest !== null && include.length === 0;
  if (coins.whole || !takesAll) {
    try {
      return await takePlan(coins, candidates, planning, source);
    } catch (error) {
      if (coins.whole || !isTooLittle(error)) throw error;
    }
  }
  const excluded = (await spendableAmong(read, wallet, exclude)).map(asCandidate);
  const known = [...named.filter((coin) => !coin.frozen).map(asCandidate), ...excluded];
  const besides = await coins.besides(inputFee(model, planning.feeRate), known);
  const withExcluded = () => {
    const among = candidates();
    const keys = new Set(among.map(outpointKey));
    return [...among, ...excluded.filter((coin) => !keys.has(outpointKey(coin)))];
  };
  try {
    return await takePlan(coins, withExcluded, { ...planning, besides }, source);
  } catch (error) {
    // All that the wallet has would be too little; a transaction of version 3 could spend what is left out of that.
    if (isShortage(error) && besides.trucSats === 0n) coins.settle();
    throw error;
  }
}

/** How much there is in all makes a difference to these refusals. */
const isTooLittle = (error: unknown): boolean =>
  isShortage(error) || (error instanceof DomainError && error.code === 'too_many_ancestors');

async function takePlan(
  coins: FreeCoins,
  candidates: () => CandidateCoin[],
  planning: Planning & { readonly besides?: OtherCoins },
  source: PaymentSource,
): Promise<PaymentPlan> {
  const { read, chain, wallet, batch } = source;
  // Ancestry costs reads: it is looked up only where unconfirmed coins are what the payment takes, or may be what it lacks.
  const all = candidates();
  const unconfirmed = new Set(all.filter((coin) => coin.confirmations === 0).map(outpointKey));
  try {
    const plan = await search(coins, candidates, planning, source, unconfirmed);
    if (plan !== null) return plan;
  } catch (error) {
    if (unconfirmed.size === 0 || !isPlanRefusal(error)) throw error;
  }
  const pending = batch?.nodes ?? [];
  const lookup = createAncestryLookup({ transactions: read.transactions, chain }, wallet.accountId, { pending });
  const informed = await withAncestry(all, lookup);
  const free = () => informed.filter((coin) => !coins.isTaken(outpointKey(coin)));
  return (await search(coins, free, planning, source))!;
}

/**
 * Plans, in another thread where that may take long, and takes the coins at once; or null, where some of them are among `unless`. What was
 * taken by others while the other thread was searching is not there for the next search.
 */
async function search(
  coins: FreeCoins,
  candidates: () => CandidateCoin[],
  planning: Planning & { readonly besides?: OtherCoins },
  { computing, wallet: { accountId }, signal }: PaymentSource,
  unless: ReadonlySet<string> = new Set(),
): Promise<PaymentPlan | null> {
  const taken = (plan: PaymentPlan): PaymentPlan | null => {
    if (plan.inputs.some((input) => unless.has(outpointKey(input)))) return null;
    return coins.take(plan);
  };
  for (;;) {
    await ownTurn(accountId, signal);
    const few = candidates();
    if (!isLongPlan(planning, few)) return taken(planPayment({ ...planning, candidates: few }));
    const plan = await searches.take({ accountId, signal }, async () => {
      const many = candidates();
      return planOf(await computing.run('payment.plan', planParams(planning, many), { accountId, signal }), many);
    });
    if (!plan.inputs.some((input) => coins.isTaken(outpointKey(input)))) return taken(plan);
  }
}
