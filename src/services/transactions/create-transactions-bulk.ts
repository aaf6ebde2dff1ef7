import { setImmediate as nextTurn } from 'node:timers/promises';
import { DomainError } from '../../core/errors.ts';
import type { PaymentRequest } from '../../core/payments/payment-plan.ts';
import type { TransactionRecord } from '../../store/records.ts';
import type { Store } from '../../store/store.ts';
import { askerOf, type Gate, isDenied, type OfService, type Passed } from '../policies/gate.ts';
import { updateAnswer } from '../requests/idempotency.ts';
import { recordRequest } from '../requests/record-request.ts';
import type { RequestContext } from '../requests/request-context.ts';
import type { TravelRules } from '../travel-rule/travel-rules.ts';
import type { ScriptPool } from '../wallets/database-script-pool.ts';
import type { SpendOfPayment } from './create-transaction.ts';
import { type Batch, createBatch } from './drafting/batch.ts';
import type { Conditions, SpendingConditions } from './drafting/spending-conditions.ts';
import { committing, type Draft, retried, type TransactionMaker } from './make-transaction.ts';
import { commitTransaction } from './sending/commit-transaction.ts';
import type { Sender } from './sending/sender.ts';
import type { BulkOutcome, TransactionService } from './transaction-service.ts';
import { type TipHeight, viewNow, viewOf } from './transaction-view.ts';

type Drafted = { readonly draft: Draft } | { readonly refusal: DomainError };

/**
 * One commit holds all payments that can be made and the answer, so that a retry never pays one of them twice. In order: a later
 * request may spend the change of an earlier one.
 */
export function createBulkCreator(deps: {
  store: Store;
  scripts: Pick<ScriptPool, 'model' | 'commitPayment'>;
  gate: Gate;
  travelRules: Pick<TravelRules, 'keep'>;
  spendOfPayment: SpendOfPayment;
  maker: TransactionMaker;
  conditions: SpendingConditions;
  sender: Pick<Sender, 'send'>;
  tipHeight: TipHeight;
  clock: () => number;
}): TransactionService['createBulk'] {
  const { store, scripts, maker, sender, clock } = deps;

  async function draftOne(
    request: PaymentRequest | DomainError,
    conditions: Conditions,
    context: RequestContext,
    { hold, batch, earlier }: { hold: boolean; batch: Batch; earlier: (Passed | OfService)[] },
  ): Promise<Drafted> {
    if (request instanceof DomainError) return { refusal: request };
    const { accountId, signal } = context;
    try {
      const spend = await deps.spendOfPayment(accountId, request, {
        conditions: async () => conditions,
        batch,
        signal,
      });
      const draft = await maker.draft(spend, { hold, by: askerOf(context), earlier, approvable: true });
      // Shown in a dry run, and taking nothing from the others.
      if (isDenied(draft.passed)) return { draft };
      earlier.push(draft.passed);
      batch.add(draft.built, scripts.model(spend.wallet).scriptType);
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
    const so = { hold, batch: createBatch(), earlier: [] };
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
      releaseAll(drafted);
      throw error;
    }
  }

  async function commitAll(drafted: readonly Drafted[], context: RequestContext) {
    const drafts = drafted.flatMap((one) => ('draft' in one ? [one.draft] : []));
    return committing(drafts, () =>
      store.write(async (tx) => {
        await deps.gate.hold(
          tx,
          drafts.map(({ passed }) => passed),
        );
        const outcomes: ({ record: TransactionRecord } | { refusal: DomainError })[] = [];
        for (const one of drafted) {
          if ('refusal' in one) outcomes.push(one);
          else outcomes.push(await commitTransaction(tx, deps, one.draft.built, one.draft.passed, clock()));
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
    const outcomes: BulkOutcome[] = [];
    for (const one of drafted) {
      outcomes.push('refusal' in one ? one : { transaction: await maker.preview(one.draft) });
    }
    return outcomes;
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

function releaseAll(drafted: readonly Drafted[]): void {
  for (const one of drafted) if ('draft' in one) one.draft.release();
}
