/** The one way a draft becomes a transaction: committed with its answer, then broadcast, then the answer brought up to date. */
import { DomainError } from '../../../core/errors.ts';
import type { Txid } from '../../../core/outpoint.ts';
import type { Store } from '../../../store/store.ts';
import { updateAnswer } from '../../requests/idempotency.ts';
import { recordRequest } from '../../requests/record-request.ts';
import type { RequestContext } from '../../requests/request-context.ts';

import type { ScriptPool } from '../../wallets/database-script-pool.ts';
import { ClaimConflict } from '../coins/claim-conflict.ts';
import type { Draft } from '../drafting/draft.ts';
import type { CommitOptions, TransactionView } from '../transaction-service.ts';
import { type TipHeight, viewNow, viewOf } from '../transaction-view.ts';
import { commitTransaction, previewTransaction } from './commit-transaction.ts';
import type { Sender } from './sender.ts';

/** How often a payment is built anew when another process was faster at the commit. */
const MAX_ATTEMPTS = 24;

export interface CommitDependencies {
  readonly store: Store;
  readonly scripts: Pick<ScriptPool, 'commitChange'>;
  readonly sender: Pick<Sender, 'send'>;
  readonly tipHeight: TipHeight;
  readonly clock: () => number;
}

export interface DraftedTransaction {
  readonly draft: Draft;
  /** Own unconfirmed transactions it replaces, the original first. */
  readonly evicts: readonly Txid[];
}

/**
 * Drafts, commits and sends; drafts anew where the commit finds a coin or change script taken by another process. Without a context it is
 * the service itself that asks, and nobody is answered. A dry run ends with a draft that holds no coins.
 */
export async function commitAndSend(
  deps: CommitDependencies,
  context: RequestContext | null,
  drafting: (options: { hold: boolean }) => Promise<DraftedTransaction>,
  { alongside, answer = (view) => view, dryRun = false }: CommitOptions = {},
): Promise<TransactionView> {
  const { store, scripts, clock } = deps;
  if (dryRun) {
    const { draft } = await drafting({ hold: false });
    return preview(deps, draft).finally(draft.discard);
  }
  const record = await retried(async () => {
    const { draft, evicts } = await drafting({ hold: true });
    return committing([draft], () =>
      store.write(async (tx) => {
        const committed = await commitTransaction(tx, scripts, draft.built, { evicts, now: clock() });
        await alongside?.(tx, committed);
        if (context) {
          const result = await answer(viewOf(committed, 0), tx);
          await recordRequest(tx, context, { result, target: committed.txid });
        }
        return committed;
      }),
    );
  });
  const sent = await deps.sender.send(record, async (tx, settled) => {
    if (context) await updateAnswer(tx, context, await answer(await viewNow(deps.tipHeight, settled), tx));
  });
  return viewNow(deps.tipHeight, sent);
}

/** What the draft would be. */
export const preview = async (
  { store, clock }: Pick<CommitDependencies, 'store' | 'clock'>,
  { built }: Pick<Draft, 'built'>,
): Promise<TransactionView> => ({ ...viewOf(await previewTransaction(store.read, built, clock()), 0), preview: true });

/** Ends the drafts' leases with the commit, whichever way it goes. */
export async function committing<T>(
  drafts: readonly Pick<Draft, 'committed' | 'discard'>[],
  commit: () => Promise<T>,
): Promise<T> {
  try {
    const result = await commit();
    for (const draft of drafts) draft.committed();
    return result;
  } catch (error) {
    for (const draft of drafts) draft.discard();
    throw error;
  }
}

export async function retried<T>(attempt: () => Promise<T>): Promise<T> {
  for (let attempts = 1; ; attempts++) {
    try {
      return await attempt();
    } catch (error) {
      if (!isLostRace(error)) throw error;
      if (attempts < MAX_ATTEMPTS) continue;
      throw new DomainError('state_conflict', 'other payments kept taking the coins that this one chose: try again', {
        field: 'recipients',
        retryAfterSeconds: 1,
      });
    }
  }
}

/** Lost at the commit: a coin (ClaimConflict) or the change script (ScriptPool.commitChange's state_conflict). */
const isLostRace = (error: unknown): boolean =>
  error instanceof ClaimConflict ||
  (error instanceof DomainError && error.code === 'state_conflict' && !error.details.field);
