import { setImmediate as nextTurn } from 'node:timers/promises';
import { DomainError } from '../../core/errors.ts';
import type { TransactionRecord } from '../../store/records.ts';
import { updateAnswer } from '../requests/idempotency.ts';
import { recordRequest } from '../requests/record-request.ts';
import type { RequestContext } from '../requests/request-context.ts';

import type { ScriptPool } from '../wallets/database-script-pool.ts';
import { type Batch, createBatch } from './drafting/batch.ts';
import type { Draft } from './drafting/draft.ts';
import type { DraftPayment } from './drafting/draft-payment.ts';
import { payingWallet } from './drafting/paying-wallet.ts';
import { assertTaken, type Conditions, type SpendingConditions } from './drafting/spending-conditions.ts';
import { type CommitDependencies, committing, preview, retried } from './sending/commit-and-send.ts';
import { assertFreeExternalId, commitTransaction } from './sending/commit-transaction.ts';
import type { BulkOutcome, PaymentRequest, TransactionService } from './transaction-service.ts';
import { viewNow, viewOf } from './transaction-view.ts';

type Drafted = { readonly draft: Draft } | { readonly refusal: DomainError };

/**
 * One commit holds all payments that can be made and the answer, so that a retry never pays one of them twice. In order: a later
 * request may spend the change of an earlier one.
 */
export function createBulkCreator(
  deps: CommitDependencies & {
    draftPayment: DraftPayment;
    conditions: SpendingConditions;
    scripts: Pick<ScriptPool, 'model' | 'commitChange'>;
  },
): TransactionService['createBulk'] {
  const { store, scripts, sender, clock, draftPayment } = deps;

  async function draftOne(
    request: PaymentRequest | DomainError,
    conditions: Conditions,
    context: RequestContext,
    { hold, batch, externalIds }: { hold: boolean; batch: Batch; externalIds: Set<string> },
  ): Promise<Drafted> {
    if (request instanceof DomainError) return { refusal: request };
    try {
      const wallet = await payingWallet(store.read, context.accountId, request.walletId);
      if (request.externalId !== undefined) {
        await assertFreeExternalId(store.read, context.accountId, request.externalId);
        assertNewInBatch(request.externalId, externalIds);
      }
      assertTaken(request.feeRate, conditions);
      const draft = await draftPayment(wallet, request, conditions, { hold, batch });
      batch.add(draft.built, scripts.model(wallet).scriptType);
      if (request.externalId !== undefined) externalIds.add(request.externalId);
      return { draft };
    } catch (error) {
      if (error instanceof DomainError) return { refusal: error };
      throw error;
    }
  }

  async function draftAll(
    requests: readonly (PaymentRequest | DomainError)[],
    conditions: Conditions,
    context: RequestContext,
    hold: boolean,
  ): Promise<Drafted[]> {
    const so = { hold, batch: createBatch(), externalIds: new Set<string>() };
    const drafted: Drafted[] = [];
    try {
      for (const request of requests) {
        // Others get their turn between any two.
        await nextTurn();
        context.signal.throwIfAborted();
        drafted.push(await draftOne(request, conditions, context, so));
      }
      return drafted;
    } catch (error) {
      discardAll(drafted);
      throw error;
    }
  }

  async function commitAll(drafted: readonly Drafted[], context: RequestContext) {
    const drafts = drafted.flatMap((one) => ('draft' in one ? [one.draft] : []));
    return committing(drafts, () =>
      store.write(async (tx) => {
        const outcomes: ({ record: TransactionRecord } | { refusal: DomainError })[] = [];
        for (const one of drafted) {
          if ('refusal' in one) outcomes.push(one);
          else {
            const options = { evicts: [], now: clock() };
            outcomes.push({ record: await commitTransaction(tx, scripts, one.draft.built, options) });
          }
        }
        const answer = outcomes.map(
          (one): BulkOutcome => ('record' in one ? { transaction: viewOf(one.record, 0) } : one),
        );
        if (drafts.length > 0) await recordRequest(tx, context, { result: answer, target: null });
        return outcomes;
      }),
    );
  }

  async function previewAll(drafted: readonly Drafted[]): Promise<BulkOutcome[]> {
    try {
      const outcomes: BulkOutcome[] = [];
      for (const one of drafted) {
        outcomes.push('refusal' in one ? one : { transaction: await preview(deps, one.draft) });
      }
      return outcomes;
    } finally {
      discardAll(drafted);
    }
  }

  return async (requests, { dryRun = false }, context) => {
    const conditions = await deps.conditions.current();
    const draft = () => draftAll(requests, conditions, context, !dryRun);
    if (dryRun) return previewAll(await draft());
    const committed = await retried(async () => commitAll(await draft(), context));
    const answer: BulkOutcome[] = [];
    // In order: children after their parents.
    for (const one of committed) {
      if ('refusal' in one) answer.push(one);
      else answer.push({ transaction: await viewNow(deps.tipHeight, await sender.send(one.record)) });
    }
    if (context.idempotency && committed.some((one) => 'record' in one))
      await store.write((tx) => updateAnswer(tx, context, answer));
    return answer;
  };
}

function discardAll(drafted: readonly Drafted[]): void {
  for (const one of drafted) if ('draft' in one) one.draft.discard();
}

function assertNewInBatch(externalId: string, seen: ReadonlySet<string>): void {
  if (!seen.has(externalId)) return;
  throw new DomainError('already_exists', 'an earlier request of this batch has the same external_id', {
    field: 'external_id',
  });
}
