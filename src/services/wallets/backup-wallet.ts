import { askerOf, refuseUnapproved, speaking } from '../policies/gate.ts';
import { recordRequest } from '../requests/record-request.ts';
import { encryptBackup } from './wallet-backup.ts';
import { requireWallet, type WalletDependencies } from './wallet-dependencies.ts';
import { openSeed } from './wallet-keys.ts';
import { labelFile } from './wallet-labels.ts';
import type { WalletService } from './wallet-service.ts';

export function createBackupWallet(
  deps: Pick<WalletDependencies, 'store' | 'pool' | 'box' | 'keyProvider' | 'randomBytes' | 'gate'>,
): WalletService['backup'] {
  return async (walletId, passphrase, context) => {
    const { read } = deps.store;
    const wallet = await requireWallet(read, context.accountId, walletId);
    const passed = await deps.gate.decide(askerOf(context), speaking('backup', wallet));
    refuseUnapproved(passed);
    const labels = await labelFile(read, wallet, deps.pool);
    const seed = await openSeed(deps.box, wallet, passed);
    try {
      const backup = await encryptBackup(
        { ...wallet, seed, labels },
        { ...deps, passphrase, provider: deps.keyProvider, whose: context },
      );
      if (context.idempotency) {
        await deps.store.write((tx) => recordRequest(tx, context, { result: backup, target: walletId }));
      }
      return backup;
    } finally {
      seed?.fill(0);
    }
  };
}
