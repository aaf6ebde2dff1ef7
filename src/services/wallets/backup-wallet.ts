import type { WalletId } from '../../store/records.ts';
import { speaking } from '../policies/gate.ts';
import { encryptBackup } from './wallet-backup.ts';
import { requireWallet, type WalletDependencies } from './wallet-dependencies.ts';
import { openSeed } from './wallet-keys.ts';
import { labelFile } from './wallet-labels.ts';
import type { WalletBackup, WalletService } from './wallet-service.ts';

interface Request {
  readonly walletId: WalletId;
  readonly passphrase: string | null;
}

export function createBackupWallet(
  deps: Pick<WalletDependencies, 'store' | 'clock' | 'pool' | 'box' | 'keyProvider' | 'randomBytes' | 'held'>,
): WalletService['backup'] {
  const { read } = deps.store;
  const backup = deps.held.operation<Request, WalletBackup>({
    id: 'wallet.backup',
    access: { scope: 'wallets:write', role: 'admin' },
    secret: true,
    async describe({ walletId, passphrase }, accountId) {
      const wallet = await requireWallet(read, accountId, walletId);
      const { type, fingerprint, secret } = wallet;
      return {
        ...{ asked: speaking('backup', wallet), subject: walletId },
        signs: {
          ...{ kind: 'backup', wallet_id: walletId, type, fingerprint },
          ...{ with_seed: secret !== null, server_bound: passphrase === null },
        },
      };
    },
    async run({ walletId, passphrase }, { accountId, signal, passed, judge, record }) {
      const wallet = await requireWallet(read, accountId, walletId);
      const labels = await labelFile(read, wallet, deps.pool);
      const seed = await openSeed(deps.box, wallet, passed);
      try {
        const result = await encryptBackup(
          { ...wallet, seed, labels },
          { ...deps, passphrase, provider: deps.keyProvider, whose: { accountId, signal } },
        );
        await deps.store.write(async (tx) => {
          await judge(tx);
          await tx.wallets.noteBackup(accountId, walletId, deps.clock());
          await record(tx, { result, target: walletId });
        });
        return result;
      } finally {
        seed?.fill(0);
      }
    },
  });
  return (walletId, passphrase, context) => backup({ walletId, passphrase }, context);
}
