import type { RequestContext } from '../requests/request-context.ts';
import type { DraftPayment } from './drafting/draft-payment.ts';
import { payingWallet } from './drafting/paying-wallet.ts';
import { assertTaken, type SpendingConditions } from './drafting/spending-conditions.ts';
import { type CommitDependencies, commitAndSend } from './sending/commit-and-send.ts';
import { assertFreeExternalId } from './sending/commit-transaction.ts';
import type { PaymentRequest, TransactionService } from './transaction-service.ts';

export function createTransactionCreator(
  deps: CommitDependencies & { draftPayment: DraftPayment; conditions: SpendingConditions },
): TransactionService['create'] {
  const { store, draftPayment } = deps;

  async function prepare(request: PaymentRequest, context: RequestContext) {
    const wallet = await payingWallet(store.read, context.accountId, request.walletId);
    if (request.externalId !== undefined) await assertFreeExternalId(store.read, context.accountId, request.externalId);
    const conditions = await deps.conditions.current();
    assertTaken(request.feeRate, conditions);
    return { wallet, conditions };
  }

  return async (request, options, context) => {
    const { wallet, conditions } = await prepare(request, context);
    const drafting = async ({ hold }: { hold: boolean }) => ({
      draft: await draftPayment(wallet, request, conditions, { hold }),
      evicts: [],
    });
    return commitAndSend(deps, context, drafting, options);
  };
}
