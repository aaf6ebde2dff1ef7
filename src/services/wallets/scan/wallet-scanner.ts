/** Wallets whose scan is queued or was interrupted. */
import type { Worker } from '../../../scheduling/worker.ts';
import { createScanner, type ScannerOptions } from '../../scanning/scanner.ts';
import type { ScanDependencies } from './scan-ports.ts';
import { scanWallet } from './scan-wallet.ts';
import { createScanWatches } from './scan-watch.ts';

export function createWalletScanner(deps: ScanDependencies & ScannerOptions): Worker {
  const { store } = deps;
  const watches = createScanWatches(deps);
  return createScanner(
    {
      what: 'wallet',
      open: () => store.read.ledger.walletsToScan(),
      async current({ accountId, walletId }) {
        const wallet = await store.read.wallets.find(accountId, walletId);
        const isOpen = wallet?.scan.state === 'queued' || wallet?.scan.state === 'scanning';
        return isOpen ? wallet : null;
      },
      async scan(wallet, signal, timeIsOver) {
        const outcome = await scanWallet(deps, watches.of(wallet), wallet, signal, timeIsOver);
        if (outcome === 'done') watches.forget(wallet);
        return outcome;
      },
      fail({ accountId, walletId, scan }, { message }) {
        watches.forget({ walletId });
        const failed = { ...scan, state: 'failed', error: message } as const;
        return store.write((tx) => tx.wallets.setScan(accountId, walletId, failed));
      },
      about: ({ walletId, scan }) => ({ walletId, fromHeight: scan.fromHeight, atHeight: scan.atHeight }),
      final: ['birthday_pruned', 'policy_refused', 'invalid_descriptor'],
    },
    deps,
  );
}
