import type { WalletService } from '../../../services/wallets/wallet-service.ts';
import { utxoFlag } from './utxo-flag.ts';

export const unlockWalletUtxo = (wallets: WalletService) =>
  utxoFlag(wallets, 'unlock', { locked: false }, 'Let payments select coins again');
