import type { ChainSource } from '../../../chain/chain-source.ts';
import { outpointKey } from '../../../core/outpoint.ts';
import type { PaymentPlan } from '../../../core/payments/payment-plan.ts';
import { type PaymentPlanning, planPayment } from '../../../core/payments/plan-payment.ts';
import type { WalletRecord } from '../../../store/records.ts';
import type { Repositories } from '../../../store/store.ts';
import { createAncestryLookup } from '../coins/ancestry.ts';
import { type CandidateModel, namedCoins, toCandidate, withAncestry } from '../coins/candidates.ts';
import type { FreeCoins } from '../coins/wallet-lease.ts';
import type { Batch } from './batch.ts';

interface PaymentSource {
  readonly read: Pick<Repositories, 'coins' | 'transactions'>;
  readonly chain: Pick<ChainSource, 'mempoolEntry'>;
  readonly wallet: WalletRecord;
  readonly model: CandidateModel;
  readonly batch?: Batch | undefined;
}

/** Plans a payment on its wallet's free coins, and the ones that it names, and takes what it spends. */
export async function planWalletPayment(
  coins: FreeCoins,
  planning: Omit<PaymentPlanning, 'candidates'>,
  { read, chain, wallet, model, batch }: PaymentSource,
): Promise<PaymentPlan> {
  const include = planning.coinControl?.include ?? [];
  const named = (await namedCoins(read, wallet, include, coins)).map((coin) =>
    toCandidate(coin, model, planning.tip.height),
  );
  // Taken by another payment since it was looked at: as with any other coin that is not free, the plan says so.
  const stillFree = named.filter((coin) => !coins.isTaken(outpointKey(coin)));
  const candidates = [...coins.candidates(), ...stillFree];
  // Ancestry costs reads: it is looked up only where unconfirmed coins are what the payment takes, or may be what it lacks.
  const unconfirmed = new Set(candidates.filter((coin) => coin.confirmations === 0).map(outpointKey));
  const first = attempt(() => planPayment({ ...planning, candidates }));
  if ('plan' in first && !first.plan.inputs.some((input) => unconfirmed.has(outpointKey(input)))) {
    return coins.take(first.plan);
  }
  if ('error' in first && unconfirmed.size === 0) throw first.error;
  const pending = batch?.nodes ?? [];
  const lookup = createAncestryLookup({ transactions: read.transactions, chain }, wallet.accountId, { pending });
  const informed = await withAncestry(candidates, lookup);
  const free = informed.filter((coin) => !coins.isTaken(outpointKey(coin)));
  return coins.take(planPayment({ ...planning, candidates: free }));
}

function attempt(plan: () => PaymentPlan): { plan: PaymentPlan } | { error: unknown } {
  try {
    return { plan: plan() };
  } catch (error) {
    return { error };
  }
}
