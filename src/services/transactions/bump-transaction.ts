import { DomainError } from '../../core/errors.ts';
import type { PaymentPlan } from '../../core/payments/payment-plan.ts';
import { planBump } from '../../core/payments/plan-bump.ts';
import { decodeAddress } from '../../core/relay-policy/address.ts';
import type { Recipient } from '../../store/records.ts';
import { planSettings } from './drafting/plan-settings.ts';
import { loadReplaceable, type Replaceable } from './drafting/replaceable.ts';
import { requireTransaction } from './get-transaction.ts';
import type { Spend } from './make-transaction.ts';
import { addedFee, assertNodeWouldTake, paidAgain, type ReplacementDependencies } from './replacement-dependencies.ts';
import type { TransactionService } from './transaction-service.ts';

export function createBumpTransaction(deps: ReplacementDependencies): TransactionService['bump'] {
  const { store, chain, scripts, randomBytes } = deps;

  return async (txid, { feeRate, orLeast = false, dryRun, replaceDescendants = false, subtractFeeFrom }, context) => {
    const found = await requireTransaction(store.read, context.accountId, txid);
    const conditions = await deps.conditions.current();
    const tipHeight = conditions.tip.height;

    const prepare = async (): Promise<Spend> => {
      const record = await requireTransaction(store.read, context.accountId, found.txid);
      const target = await loadReplaceable({ read: store.read, chain, scripts }, record, {
        action: 'bump',
        replaceDescendants,
        tipHeight,
      });
      const { wallet, original, descendants, evicts, respends } = target;
      const { rbf, label, externalId } = record;
      return {
        ...{ wallet, tipHeight, respends },
        plan: (coins, change) =>
          coins.take(
            planBump({
              ...{ original, descendants, candidates: coins.candidates(), feeRate, orLeast, rbf, randomBytes },
              ...planSettings(scripts.model(wallet), conditions, change),
              ...(subtractFeeFrom ? { subtractFeeFrom: outputIndexes(target, subtractFeeFrom) } : {}),
            }),
          ),
        details: (plan) => ({
          ...{ kind: 'bump', rbf, label, externalId, replaces: record.txid, evicts, namesCoins: false },
          recipients: recipientsOf(target, plan),
        }),
        asks: (plan) => ({
          ...{ operation: 'bump', pays: [], feeSats: addedFee(plan, original), screens: paidAgain(plan) },
        }),
        check: ({ raw }) => assertNodeWouldTake(chain, raw, target.inMempool),
      };
    };
    return deps.maker.make(context, prepare, { dryRun });
  };
}

/** Recipients in the record's order, then those carried along, with what the plan gives them. */
function recipientsOf({ record, wallet, carried, original }: Replaceable, plan: PaymentPlan): Recipient[] {
  const keptBefore = [...record.recipients, ...carried];
  const left = plan.outputs.filter((output) => output.recipient !== null);
  const kept = keptBefore.flatMap(({ address }) => {
    const { scriptPubKey } = decodeAddress(address, wallet.network);
    const at = left.findIndex((output) => output.scriptPubKey === scriptPubKey);
    return at < 0 ? [] : [{ address, amountSats: left.splice(at, 1)[0]!.amountSats }];
  });
  // A transaction to ourselves has its own change as recipient: whatever comes out of it.
  if (kept.length > 0 || original.outputs.some((output) => !output.change)) return kept;
  return record.recipients.slice(0, 1).map(({ address }) => ({ address, amountSats: plan.outputs[0]!.amountSats }));
}

/** Where the record's recipients stand among the original's outputs, whose order is not theirs. */
function outputIndexes({ record, wallet, original }: Replaceable, recipients: readonly number[]): number[] {
  const taken = new Set<number>();
  const positions = record.recipients.map(({ address, amountSats }) => {
    const { scriptPubKey } = decodeAddress(address, wallet.network);
    const at = original.outputs.findIndex(
      (output, index) => !taken.has(index) && output.scriptPubKey === scriptPubKey && output.amountSats === amountSats,
    );
    taken.add(at);
    return at;
  });
  return recipients.map((recipient, index) => {
    const position = positions[recipient];
    if (position !== undefined && position >= 0) return position;
    throw new DomainError('invalid_value', `the transaction has no recipient ${recipient}; they count from 0`, {
      field: `subtract_fee_from[${index}]`,
    });
  });
}
