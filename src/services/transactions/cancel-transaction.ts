import { type FeeRate, feeRate } from '../../core/fee-rate.ts';
import type { PaymentPlan } from '../../core/payments/payment-plan.ts';
import { leastBump, planBump } from '../../core/payments/plan-bump.ts';
import { planCancel } from '../../core/payments/plan-cancel.ts';
import { replacedBy } from '../../core/payments/replacement.ts';
import type { BumpRequest, NodeFloors } from '../../core/payments/replacement-request.ts';
import { transactionVsize } from '../../core/transactions/sizing.ts';
import { changeTarget } from './drafting/change-target.ts';
import type { DraftTools } from './drafting/draft.ts';
import { lockedTip } from './drafting/locked-tip.ts';
import { loadReplaceable, type Replaceable } from './drafting/replaceable.ts';
import type { Conditions } from './drafting/spending-conditions.ts';
import { requireTransaction } from './get-transaction.ts';
import { assertNodeWouldTake, type ReplacementDependencies } from './replacement-dependencies.ts';
import { commitAndSend } from './sending/commit-and-send.ts';
import type { CancelRequest, TransactionService } from './transaction-service.ts';
import { viewOf } from './transaction-view.ts';

export function createCancelTransaction(
  deps: ReplacementDependencies & Pick<TransactionService, 'abandon'>,
): TransactionService['cancel'] {
  const { store, chain, scripts, drafts, randomBytes } = deps;

  function planOf(
    target: Replaceable,
    { feeRate: asked, orLeast = false }: CancelRequest,
    conditions: Conditions,
    tools: DraftTools,
  ): PaymentPlan {
    const { original, descendants, wallet } = target;
    const floors: NodeFloors = {
      incrementalRelayFeeRate: conditions.mempool.incrementalRelayFeeRate,
      minFeeRate: conditions.minimumFeeRate,
    };
    const settings = {
      change: changeTarget(scripts.model(wallet), tools.change),
      rbf: true,
      tip: lockedTip(scripts.model(wallet), conditions.tip),
      ...{ floors, randomBytes, orLeast },
    };
    if (descendants.recipients.length === 0) {
      return planCancel({ ...settings, original, descendants, feeRate: asked ?? 'minimum' });
    }
    // The original's own recipients are left out; those of its descendants are paid, from its coins and further ones.
    const candidates = tools.candidates();
    const request = { ...settings, original: { ...original, outputs: [] }, descendants, candidates };
    return planBump({ ...request, feeRate: asked ?? leastRate(request) });
  }

  return async (txid, request, context) => {
    const { replaceDescendants = false, dryRun } = request;
    const found = await requireTransaction(store.read, context.accountId, txid);
    if (found.status === 'awaiting_signature') {
      return dryRun ? { ...viewOf(found, 0), preview: true } : deps.abandon(found.txid, context);
    }
    const conditions = await deps.conditions.current();
    const tipHeight = conditions.tip.height;

    const drafting = async ({ hold }: { hold: boolean }) => {
      const record = await requireTransaction(store.read, context.accountId, found.txid);
      const target = await loadReplaceable({ read: store.read, chain, scripts }, record, {
        action: 'cancel',
        replaceDescendants,
        tipHeight,
      });
      const { wallet, evicts, respends, carried } = target;
      const draft = await drafts.open(wallet, { hold, tipHeight, respends }, (tools) => {
        const plan = planOf(target, request, conditions, tools);
        const back = plan.outputs.find((output) => output.recipient === null);
        return tools.seal(plan, {
          kind: 'cancel',
          rbf: true,
          recipients:
            carried.length > 0 || !back ? carried : [{ address: tools.change.address, amountSats: back.amountSats }],
          label: record.label,
          externalId: null,
          replaces: record.txid,
          insists: false,
        });
      });
      await assertNodeWouldTake(chain, draft, target.inMempool);
      return { draft, evicts };
    };
    return commitAndSend(deps, context, drafting, { dryRun });
  };
}

/** What replacement needs and no more, looked for from the smallest size that the replacement can have. */
function leastRate(request: Omit<BumpRequest, 'feeRate'>): FeeRate {
  const { original, descendants } = request;
  const lengths = (descendants?.recipients ?? []).map((recipient) => recipient.scriptPubKey.length / 2);
  const vsize = transactionVsize(original.inputs, lengths);
  return leastBump({ ...request, feeRate: feeRate(0n) }, replacedBy(original, descendants), vsize).feeRate;
}
