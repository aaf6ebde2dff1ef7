import type { WalletService } from '../../../services/wallets/wallet-service.ts';
import { utxoFlag } from './utxo-flag.ts';

export const lockWalletUtxo = (wallets: WalletService) =>
  utxoFlag(wallets, 'lock', { locked: true }, 'Set coins aside: no payment selects them');
