import type { ChainSource } from '../../chain/chain-source.ts';
import { DomainError, isWithoutAnswer } from '../../core/errors.ts';
import type { PaymentPlan } from '../../core/payments/payment-plan.ts';
import type { Store } from '../../store/store.ts';
import type { Gate } from '../policies/gate.ts';
import type { ScriptPool } from '../wallets/database-script-pool.ts';
import type { SpendingConditions } from './drafting/spending-conditions.ts';
import type { TransactionMaker } from './make-transaction.ts';

/** What bump, cancel and cpfp use. */
export interface ReplacementDependencies {
  readonly store: Store;
  readonly chain: Pick<ChainSource, 'mempoolEntry' | 'testAccept'>;
  readonly scripts: ScriptPool;
  readonly maker: TransactionMaker;
  readonly gate: Gate;
  readonly conditions: SpendingConditions;
  readonly randomBytes: (size: number) => Uint8Array;
}

/** Beyond what the original pays. */
export function addedFee({ feeSats }: { feeSats: bigint }, original: { feeSats: bigint }): bigint {
  return feeSats > original.feeSats ? feeSats - original.feeSats : 0n;
}

/** Scripts that a replacement pays again: asked about and counted before, but screening lists may have changed since. */
export const paidAgain = ({ outputs }: Pick<PaymentPlan, 'outputs'>): string[] =>
  outputs.flatMap(({ scriptPubKey, recipient }) => (recipient === null ? [] : scriptPubKey));

/**
 * Asks the node before anything is kept, because a replacement that it refuses would only be a failed record. Throws `policy_refused`
 * with the node's rule. Where the original is not in its mempool, or signatures are missing (`raw` null), there is nothing to ask about.
 */
export async function assertNodeWouldTake(
  chain: Pick<ChainSource, 'testAccept'>,
  raw: Uint8Array | null,
  inMempool: boolean,
): Promise<void> {
  if (!inMempool || raw === null) return;
  try {
    const verdict = await chain.testAccept(raw);
    if (verdict.result !== 'refused') return;
    throw new DomainError('policy_refused', `the node would refuse the replacement: ${verdict.reason}`, {
      field: 'fee_rate',
    });
  } catch (error) {
    // Not every source can be asked beforehand.
    if (!isWithoutAnswer(error)) throw error;
  }
}
