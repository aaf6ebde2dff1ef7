import type { ChainSource } from '../../chain/chain-source.ts';
import { DomainError, isWithoutAnswer } from '../../core/errors.ts';

import type { ScriptPool } from '../wallets/database-script-pool.ts';
import type { Draft, Drafts } from './drafting/draft.ts';
import type { SpendingConditions } from './drafting/spending-conditions.ts';
import type { CommitDependencies } from './sending/commit-and-send.ts';

/** What bump, cancel and cpfp use. */
export interface ReplacementDependencies extends CommitDependencies {
  readonly chain: Pick<ChainSource, 'mempoolEntry' | 'testAccept'>;
  readonly scripts: ScriptPool;
  readonly drafts: Drafts;
  readonly conditions: SpendingConditions;
  readonly randomBytes: (size: number) => Uint8Array;
}

/**
 * Asks the node before anything is kept, because a replacement that it refuses would only be a failed record. Throws `policy_refused`
 * with the node's rule. Where the original is not in its mempool, or signatures are missing, there is nothing to ask about.
 */
export async function assertNodeWouldTake(
  chain: Pick<ChainSource, 'testAccept'>,
  draft: Draft,
  inMempool: boolean,
): Promise<void> {
  const { raw } = draft.built;
  if (!inMempool || raw === null) return;
  try {
    const verdict = await chain.testAccept(raw);
    if (verdict.result !== 'refused') return;
    throw new DomainError('policy_refused', `the node would refuse the replacement: ${verdict.reason}`, {
      field: 'fee_rate',
    });
  } catch (error) {
    // Not every source can be asked beforehand.
    if (isWithoutAnswer(error)) return;
    draft.discard();
    throw error;
  }
}
