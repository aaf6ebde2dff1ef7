import type { WalletService } from '../../../services/wallets/wallet-service.ts';
import { utxoFlag } from './utxo-flag.ts';

export const unfreezeWalletUtxo = (wallets: WalletService) =>
  utxoFlag(wallets, 'unfreeze', { frozen: false }, 'Let frozen coins be spent again');
