import { DomainError } from '../../core/errors.ts';
import { recordRequest } from '../requests/record-request.ts';
import { refusePruned } from './birthday-height.ts';
import { requireWallet, viewWallet, type WalletDependencies } from './wallet-dependencies.ts';
import type { WalletService } from './wallet-service.ts';

export function createRescanWallet(
  deps: Pick<WalletDependencies, 'store' | 'chain' | 'onScanQueued'>,
): WalletService['rescan'] {
  return async (walletId, fromHeight, context) => {
    const { accountId } = context;
    const known = await requireWallet(deps.store.read, accountId, walletId);
    const from = fromHeight ?? known.birthdayHeight;
    const info = await deps.chain.info();
    if (from > info.height) {
      throw new DomainError(
        'invalid_value',
        `from_height is above the chain's tip, which is at height ${info.height}`,
        {
          field: 'from_height',
        },
      );
    }
    refusePruned(info, from, 'from_height');
    const result = await deps.store.write(async (tx) => {
      const wallet = await requireWallet(tx, accountId, walletId);
      if (wallet.scan.state === 'queued' || wallet.scan.state === 'scanning') {
        throw new DomainError(
          'state_conflict',
          'a scan of this wallet is queued or under way: wait until scan.state is idle',
        );
      }
      const scan = { state: 'queued', fromHeight: from, atHeight: null, toHeight: null, error: null } as const;
      await tx.wallets.setScan(accountId, walletId, scan);
      if (from < wallet.birthdayHeight) await tx.wallets.update(accountId, walletId, { birthdayHeight: from });
      const view = await viewWallet(tx, { ...wallet, scan, birthdayHeight: Math.min(from, wallet.birthdayHeight) });
      await recordRequest(tx, context, { result: view, target: walletId });
      return view;
    });
    deps.onScanQueued();
    return result;
  };
}
