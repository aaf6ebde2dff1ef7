import { type FeeRate, feeRate } from '../../core/fee-rate.ts';
import type { PaymentPlan } from '../../core/payments/payment-plan.ts';
import { leastBump, planBump } from '../../core/payments/plan-bump.ts';
import { planCancel } from '../../core/payments/plan-cancel.ts';
import { replacedBy } from '../../core/payments/replacement.ts';
import type { BumpRequest } from '../../core/payments/replacement-request.ts';
import { transactionVsize } from '../../core/transactions/sizing.ts';
import type { ChangeLease } from '../wallets/script-pool.ts';
import type { FreeCoins } from './coins/wallet-lease.ts';
import { planSettings } from './drafting/plan-settings.ts';
import { loadReplaceable, type Replaceable } from './drafting/replaceable.ts';
import type { Conditions } from './drafting/spending-conditions.ts';
import { requireTransaction } from './get-transaction.ts';
import type { Spend } from './make-transaction.ts';
import { addedFee, assertNodeWouldTake, paidAgain, type ReplacementDependencies } from './replacement-dependencies.ts';
import type { CancelRequest, TransactionService } from './transaction-service.ts';
import { viewOf } from './transaction-view.ts';

export function createCancelTransaction(
  deps: ReplacementDependencies & Pick<TransactionService, 'abandon'>,
): TransactionService['cancel'] {
  const { store, chain, scripts, randomBytes } = deps;

  function planOf(
    target: Replaceable,
    { feeRate: asked, orLeast = false }: CancelRequest,
    conditions: Conditions,
    coins: FreeCoins,
    change: ChangeLease,
  ): PaymentPlan {
    const { original, descendants, wallet } = target;
    const settings = { ...planSettings(scripts.model(wallet), conditions, change), rbf: true, randomBytes, orLeast };
    if (descendants.recipients.length === 0) {
      return planCancel({ ...settings, original, descendants, feeRate: asked ?? 'minimum' });
    }
    // The original's own recipients are left out; those of its descendants are paid, from its coins and further ones.
    const candidates = coins.candidates();
    const request = { ...settings, original: { ...original, outputs: [] }, descendants, candidates };
    return planBump({ ...request, feeRate: asked ?? leastRate(request) });
  }

  return async (txid, request, context) => {
    const { replaceDescendants = false, dryRun } = request;
    const found = await requireTransaction(store.read, context.accountId, txid);
    if (found.status === 'awaiting_signature') {
      return dryRun ? { ...viewOf(found, 0), preview: { bounded: false } } : deps.abandon(found.txid, context);
    }
    const conditions = await deps.conditions.current();
    const tipHeight = conditions.tip.height;

    const prepare = async (): Promise<Spend> => {
      const record = await requireTransaction(store.read, context.accountId, found.txid);
      const target = await loadReplaceable({ read: store.read, chain, scripts }, record, {
        action: 'cancel',
        replaceDescendants,
        tipHeight,
      });
      const { wallet, evicts, respends, carried } = target;
      return {
        ...{ wallet, tipHeight, respends },
        plan: (coins, change) => coins.take(planOf(target, request, conditions, coins, change)),
        details({ outputs }, { address }) {
          const back = outputs.find((output) => output.recipient === null);
          return {
            ...{ kind: 'cancel', rbf: true, label: record.label, externalId: null, namesCoins: false },
            ...{ replaces: record.txid, evicts },
            recipients: carried.length > 0 || !back ? carried : [{ address, amountSats: back.amountSats }],
          };
        },
        // Recipients of the descendants that it replaces are paid again.
        asks: (plan) => ({
          ...{ operation: 'cancel', pays: [], feeSats: addedFee(plan, target.original), screens: paidAgain(plan) },
        }),
        check: ({ raw }) => assertNodeWouldTake(chain, raw, target.inMempool),
      };
    };
    return deps.maker.make(context, prepare, { dryRun });
  };
}

/** What replacement needs and no more, looked for from the smallest size that the replacement can have. */
function leastRate(request: Omit<BumpRequest, 'feeRate'>): FeeRate {
  const { original, descendants } = request;
  const lengths = (descendants?.recipients ?? []).map((recipient) => recipient.scriptPubKey.length / 2);
  const vsize = transactionVsize(original.inputs, lengths);
  return leastBump({ ...request, feeRate: feeRate(0n) }, replacedBy(original, descendants), vsize).feeRate;
}
