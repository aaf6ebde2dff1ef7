import { DomainError } from '../../core/errors.ts';
import {
  followedHeight,
  NO_BALANCE,
  noWallet,
  requireWallet,
  viewWallet,
  type WalletDependencies,
} from './wallet-dependencies.ts';
import type { WalletService } from './wallet-service.ts';

export function createReadWallets(
  deps: Pick<WalletDependencies, 'store'>,
): Pick<WalletService, 'get' | 'list' | 'balance'> {
  const { read } = deps.store;
  return {
    async get(walletId, context) {
      return viewWallet(read, await requireWallet(read, context.accountId, walletId));
    },

    async list(filter, page, context) {
      const found = await read.wallets.list(context.accountId, filter, page);
      const height = await followedHeight(read);
      const ids = found.data.map((wallet) => wallet.walletId);
      const balances = await read.coins.balances(context.accountId, ids, height);
      const views = found.data.map((wallet) => ({ wallet, balance: balances.get(wallet.walletId) ?? NO_BALANCE }));
      return { ...found, data: views };
    },

    async balance(walletId, height, context) {
      const { accountId } = context;
      const tip = await read.wallets.tipFor(accountId, walletId);
      if (tip === null) throw noWallet(walletId);
      if (height === null)
        return { walletId, height: tip, balance: await read.coins.balance(accountId, walletId, tip) };
      if (height > tip) {
        throw new DomainError('invalid_value', `height is above what the service has followed, which is ${tip}`, {
          field: 'query.height',
        });
      }
      return { walletId, height, balance: await read.coins.balanceAt(accountId, walletId, height) };
    },
  };
}
