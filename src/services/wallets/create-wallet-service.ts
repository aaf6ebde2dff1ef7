import { createBackupWallet } from './backup-wallet.ts';
import { createWalletCreator } from './create-wallet.ts';
import { createExchangeLabels } from './exchange-labels.ts';
import { createExportWallet } from './export-wallet.ts';
import { createReadWallets } from './read-wallets.ts';
import { createRescanWallet } from './rescan-wallet.ts';
import { createUpdateWallet } from './update-wallet.ts';
import { createWalletAddresses } from './wallet-addresses.ts';
import type { WalletDependencies } from './wallet-dependencies.ts';
import type { WalletService } from './wallet-service.ts';
import { createWalletUtxos } from './wallet-utxos.ts';

export type { WalletDependencies } from './wallet-dependencies.ts';

export function createWalletService(deps: WalletDependencies): WalletService {
  return {
    create: createWalletCreator(deps),
    update: createUpdateWallet(deps),
    backup: createBackupWallet(deps),
    rescan: createRescanWallet(deps),
    ...createReadWallets(deps),
    ...createWalletAddresses(deps),
    ...createWalletUtxos(deps),
    ...createExchangeLabels(deps),
    ...createExportWallet(deps),
  };
}
