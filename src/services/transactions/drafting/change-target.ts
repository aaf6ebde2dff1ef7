import type { ChangeTarget } from '../../../core/payments/payment-plan.ts';
import type { WalletModel } from '../../../core/wallets/wallet-model.ts';
import type { ChangeLease } from '../../wallets/script-pool.ts';

/** Change goes to a script of the wallet's own kind, whose later spend costs what its model says. */
export const changeTarget = (
  { scriptType, inputWeight }: Pick<WalletModel, 'scriptType' | 'inputWeight'>,
  { scriptPubKey }: Pick<ChangeLease, 'scriptPubKey'>,
): ChangeTarget => ({ scriptType, scriptPubKey, inputWeight });
