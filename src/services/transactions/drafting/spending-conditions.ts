/** What the chain says before a payment is built: whether it may be at all, the tip for its locktime, and the node's fee floors. */
import type { ChainSource, MempoolInfo } from '../../../chain/chain-source.ts';
import { DomainError } from '../../../core/errors.ts';
import { type FeeRate, formatFeeRate } from '../../../core/fee-rate.ts';
import type { BlockHash } from '../../../core/outpoint.ts';
import type { PlanTip } from '../../../core/payments/payment-plan.ts';

/** Bitcoin Core's MAX_ANTI_FEE_SNIPING_TIP_AGE. */
const RECENT_TIP_MS = 8 * 60 * 60 * 1000;

export interface Conditions {
  readonly tip: PlanTip;
  readonly mempool: MempoolInfo;
  /** What a transaction must pay to get into the node's mempool now. */
  readonly minimumFeeRate: FeeRate;
}

export function createSpendingConditions(deps: {
  chain: Pick<ChainSource, 'info' | 'mempoolInfo' | 'header'>;
  /** Why nothing may be spent at the moment (a reorg deeper than the node can show), or null. */
  spendingHalt: () => string | null;
  clock: () => number;
}) {
  let asking: Promise<Conditions> | null = null;
  let tipTime: { hash: BlockHash; time: number } | null = null;

  async function ask(): Promise<Conditions> {
    const [info, mempool] = await Promise.all([deps.chain.info(), deps.chain.mempoolInfo()]);
    if (info.syncing) {
      throw new DomainError(
        'node_syncing',
        `the node is still syncing (${info.height} of ${info.headers} blocks): payments wait until it has caught up`,
        { retryAfterSeconds: 30 },
      );
    }
    if (tipTime?.hash !== info.bestBlockHash) {
      const header = await deps.chain.header(info.bestBlockHash);
      tipTime = header && { hash: header.hash, time: header.time };
    }
    const recent = tipTime !== null && deps.clock() - tipTime.time * 1000 <= RECENT_TIP_MS;
    const minimumFeeRate = mempool.minFeeRate > mempool.minRelayFeeRate ? mempool.minFeeRate : mempool.minRelayFeeRate;
    return { tip: { height: info.height, recent }, mempool, minimumFeeRate };
  }

  return {
    /** Throws `node_unavailable`, `node_syncing`, or `unavailable` while spending is halted. Asked for each payment. */
    current() {
      const halt = deps.spendingHalt();
      if (halt) {
        return Promise.reject(new DomainError('unavailable', `spending is halted: ${halt}`, { retryAfterSeconds: 60 }));
      }
      // Payments that ask at the same moment share one question.
      asking ??= ask().finally(() => {
        asking = null;
      });
      return asking;
    },
  };
}

export type SpendingConditions = ReturnType<typeof createSpendingConditions>;

/** Throws `fee_too_low` where the node's mempool would not take the feerate. */
export function assertTaken(feeRate: FeeRate, conditions: Conditions): void {
  if (feeRate >= conditions.minimumFeeRate) return;
  throw new DomainError(
    'fee_too_low',
    `${formatFeeRate(feeRate)} sat/vB is below what the node takes now: at least ${formatFeeRate(conditions.minimumFeeRate)} sat/vB`,
    { field: 'fee_rate' },
  );
}
