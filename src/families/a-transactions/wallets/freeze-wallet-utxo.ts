import type { WalletService } from '../../../services/wallets/wallet-service.ts';
import { utxoFlag } from './utxo-flag.ts';

export const freezeWalletUtxo = (wallets: WalletService) =>
  utxoFlag(wallets, 'freeze', { frozen: true }, 'Mark coins as not to be spent');
