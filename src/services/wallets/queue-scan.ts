import type { WalletRecord } from '../../store/records.ts';
import type { Repositories } from '../../store/store.ts';

/**
 * For a wallet of which more is to be derived. No block is read again: one that was scanned goes on from where the follower stands. The scanner
 * finds it by itself.
 */
export async function queueScan(tx: Repositories, { accountId, walletId }: WalletRecord): Promise<void> {
  const wallet = await tx.wallets.find(accountId, walletId);
  if (wallet === null || wallet.scan.state === 'queued' || wallet.scan.state === 'scanning') return;
  const { scan } = wallet;
  const tip = await tx.ledger.tip();
  const atHeight = scan.state === 'idle' ? (tip?.height ?? null) : scan.atHeight;
  await tx.wallets.setScan(accountId, walletId, { ...scan, state: 'queued', atHeight, error: null });
}
