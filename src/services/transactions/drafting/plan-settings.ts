import { DomainError } from '../../../core/errors.ts';
import type { ChangeTarget, PlanTip } from '../../../core/payments/payment-plan.ts';
import type { NodeFloors } from '../../../core/payments/replacement-request.ts';
import type { WalletModel } from '../../../core/wallets/wallet-model.ts';
import type { ChangeLease } from '../../wallets/script-pool.ts';
import type { Conditions } from './spending-conditions.ts';

/** What plans of a wallet's transactions have in common. Throws `coin_unavailable` while its scripts wait for a height. */
export function planSettings(
  { scriptType, inputWeight, timelocks }: Pick<WalletModel, 'scriptType' | 'inputWeight' | 'timelocks'>,
  { tip, mempool, minimumFeeRate }: Conditions,
  { scriptPubKey }: Pick<ChangeLease, 'scriptPubKey'>,
): { change: ChangeTarget; tip: PlanTip; floors: NodeFloors } {
  return {
    // Change goes to a script of the wallet's own kind, whose later spend costs what its model says.
    change: { scriptType, scriptPubKey, inputWeight },
    tip: lockedTip(timelocks().afterHeight, tip),
    floors: { incrementalRelayFeeRate: mempool.incrementalRelayFeeRate, minFeeRate: minimumFeeRate },
  };
}

/** The tip, with the height that the wallet's scripts wait for. */
function lockedTip(afterHeight: number, tip: PlanTip): PlanTip {
  if (afterHeight === 0) return tip;
  if (afterHeight <= tip.height) return { ...tip, afterHeight };
  throw new DomainError(
    'coin_unavailable',
    `the wallet's coins are locked until block ${afterHeight}, and the chain is at ${tip.height}`,
    { field: 'wallet_id' },
  );
}
