import { DomainError } from '../../../core/errors.ts';
import type { PlanTip } from '../../../core/payments/payment-plan.ts';
import type { WalletModel } from '../../../core/wallets/wallet-model.ts';

/** The tip, with the height that the wallet's scripts wait for. Throws `coin_unavailable` where that is still to come. */
export function lockedTip(model: Pick<WalletModel, 'timelocks'>, tip: PlanTip): PlanTip {
  const { afterHeight } = model.timelocks();
  if (afterHeight === 0) return tip;
  if (afterHeight <= tip.height) return { ...tip, afterHeight };
  throw new DomainError(
    'coin_unavailable',
    `the wallet's coins are locked until block ${afterHeight}, and the chain is at ${tip.height}`,
    { field: 'wallet_id' },
  );
}
