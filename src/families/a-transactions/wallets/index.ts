import type { AnyOperation } from '../../../hooks/operation.ts';
import type { WalletService } from '../../../services/wallets/wallet-service.ts';
import { backupWallet } from './backup-wallet.ts';
import { createWallet } from './create-wallet.ts';
import { exportWalletLabel } from './export-wallet-label.ts';
import { freezeWalletUtxo } from './freeze-wallet-utxo.ts';
import { getWallet } from './get-wallet.ts';
import { getWalletBalance } from './get-wallet-balance.ts';
import { getWalletExport } from './get-wallet-export.ts';
import { importWalletLabel } from './import-wallet-label.ts';
import { listWallet } from './list-wallet.ts';
import { listWalletAddress } from './list-wallet-address.ts';
import { listWalletUtxo } from './list-wallet-utxo.ts';
import { lockWalletUtxo } from './lock-wallet-utxo.ts';
import { rescanWallet } from './rescan-wallet.ts';
import { reserveWalletAddress } from './reserve-wallet-address.ts';
import { unfreezeWalletUtxo } from './unfreeze-wallet-utxo.ts';
import { unlockWalletUtxo } from './unlock-wallet-utxo.ts';
import { updateWallet } from './update-wallet.ts';

/** Wallets; their transactions are listed by transactions/list-wallet-transaction.ts. */
export const walletOperations = (services: { wallets: WalletService }): AnyOperation[] => [
  createWallet(services.wallets),
  listWallet(services.wallets),
  getWallet(services.wallets),
  updateWallet(services.wallets),
  backupWallet(services.wallets),
  rescanWallet(services.wallets),
  getWalletBalance(services.wallets),
  reserveWalletAddress(services.wallets),
  listWalletAddress(services.wallets),
  listWalletUtxo(services.wallets),
  lockWalletUtxo(services.wallets),
  unlockWalletUtxo(services.wallets),
  freezeWalletUtxo(services.wallets),
  unfreezeWalletUtxo(services.wallets),
  exportWalletLabel(services.wallets),
  importWalletLabel(services.wallets),
  getWalletExport(services.wallets),
];
