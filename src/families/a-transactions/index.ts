import { familyPlugin } from '../../hooks/family.ts';
import type { PayeeAddresses } from '../../services/address-book/payees.ts';
import type { ContractService } from '../../services/contracts/contract-service.ts';
import type { ChooseFeeRate } from '../../services/fees/choose-fee-rate.ts';
import type { FeeService } from '../../services/fees/index.ts';
import type { TransactionService } from '../../services/transactions/transaction-service.ts';
import type { WalletService } from '../../services/wallets/wallet-service.ts';
import { createContract } from './contracts/create-contract.ts';
import { executeContract } from './contracts/execute-contract.ts';
import { getContract } from './contracts/get-contract.ts';
import { listContract } from './contracts/list-contract.ts';
import { estimateFee } from './fees/estimate-fee.ts';
import { type RealtimeDeps, realtime, realtimeSocket } from './realtime/index.ts';
import { abandonTransaction } from './transactions/abandon-transaction.ts';
import { bulkCreateTransaction } from './transactions/bulk-create-transaction.ts';
import { bumpTransaction } from './transactions/bump-transaction.ts';
import { cancelTransaction } from './transactions/cancel-transaction.ts';
import { cpfpTransaction } from './transactions/cpfp-transaction.ts';
import { createTransaction } from './transactions/create-transaction.ts';
import { createTransactionSignature } from './transactions/create-transaction-signature.ts';
import { getTransaction } from './transactions/get-transaction.ts';
import { getTransactionPsbt } from './transactions/get-transaction-psbt.ts';
import { listTransaction } from './transactions/list-transaction.ts';
import { listWalletTransaction } from './transactions/list-wallet-transaction.ts';
import { backupWallet } from './wallets/backup-wallet.ts';
import { createWallet } from './wallets/create-wallet.ts';
import { exportWalletLabel } from './wallets/export-wallet-label.ts';
import { freezeWalletUtxo } from './wallets/freeze-wallet-utxo.ts';
import { getWallet } from './wallets/get-wallet.ts';
import { getWalletBalance } from './wallets/get-wallet-balance.ts';
import { getWalletExport } from './wallets/get-wallet-export.ts';
import { importWalletLabel } from './wallets/import-wallet-label.ts';
import { listWallet } from './wallets/list-wallet.ts';
import { listWalletAddress } from './wallets/list-wallet-address.ts';
import { listWalletUtxo } from './wallets/list-wallet-utxo.ts';
import { lockWalletUtxo } from './wallets/lock-wallet-utxo.ts';
import { rescanWallet } from './wallets/rescan-wallet.ts';
import { reserveWalletAddress } from './wallets/reserve-wallet-address.ts';
import { unfreezeWalletUtxo } from './wallets/unfreeze-wallet-utxo.ts';
import { unlockWalletUtxo } from './wallets/unlock-wallet-utxo.ts';
import { updateWallet } from './wallets/update-wallet.ts';

interface Services {
  wallets: WalletService;
  transactions: TransactionService;
  chooseFeeRate: ChooseFeeRate;
  payeeAddresses: PayeeAddresses;
  fees: FeeService;
  contracts: ContractService;
  realtime: RealtimeDeps;
}

/** Family A: wallets, transactions, fees, contracts, and their updates over WebSocket. */
export const transactions = familyPlugin<Services>({
  name: 'a-transactions',
  tags: {
    Wallets:
      'Wallets, their addresses, coins, labels and backups. With cosigners elsewhere: [Multisig](/docs/multisig).',
    Transactions: 'Payments: made, signed, broadcast, raised in fee, cancelled, followed to their confirmations.',
    Fees: 'Feerate estimates.',
    Contracts: 'Discreet Log Contracts, from the offer to the payout: [guide](/docs/dlc).',
  },
  operations: (services) => {
    const { wallets, transactions, chooseFeeRate, payeeAddresses, fees, contracts } = services;
    return [
      createWallet(wallets),
      listWallet(wallets),
      getWallet(wallets),
      updateWallet(wallets),
      backupWallet(wallets),
      rescanWallet(wallets),
      getWalletBalance(wallets),
      reserveWalletAddress(wallets),
      listWalletAddress(wallets),
      listWalletUtxo(wallets),
      lockWalletUtxo(wallets),
      unlockWalletUtxo(wallets),
      freezeWalletUtxo(wallets),
      unfreezeWalletUtxo(wallets),
      exportWalletLabel(wallets),
      importWalletLabel(wallets),
      getWalletExport(wallets),
      createTransaction(transactions, chooseFeeRate, payeeAddresses),
      bulkCreateTransaction(transactions, chooseFeeRate, payeeAddresses),
      getTransaction(transactions),
      listTransaction(transactions),
      listWalletTransaction(transactions),
      bumpTransaction(transactions, chooseFeeRate),
      cpfpTransaction(transactions, chooseFeeRate),
      cancelTransaction(transactions, chooseFeeRate),
      abandonTransaction(transactions),
      createTransactionSignature(transactions),
      getTransactionPsbt(transactions),
      estimateFee(fees),
      createContract(contracts),
      listContract(contracts),
      getContract(contracts),
      executeContract(contracts),
    ];
  },
  sockets: [realtimeSocket],
  needs: ['websocket-server'],
  routes: async (app, services) => {
    realtime(app, services.realtime);
  },
});
