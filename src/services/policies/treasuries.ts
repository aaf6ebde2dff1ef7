/** What changes a treasury by other ways than spending it. */
import { DomainError } from '../../core/errors.ts';
import type { AccountId, WalletId } from '../../core/ids.ts';
import type { Repositories } from '../../store/store.ts';

/** In the job that would do it. Throws `policy_denied` where one of the wallets is a treasury, or was one. */
export async function refuseTreasury(
  tx: Pick<Repositories, 'enterpriseConfig'>,
  accountId: AccountId,
  walletIds: readonly (WalletId | null)[],
  what: string,
): Promise<void> {
  const treasuries = (await tx.enterpriseConfig.find(accountId))?.treasuries ?? [];
  const found = walletIds.find((walletId) => walletId !== null && treasuries.includes(walletId));
  if (!found) return;
  const message = `wallet ${found} is a treasury, and passed proposals alone decide on its coins: ${what}`;
  throw new DomainError('policy_denied', message, { field: 'wallet_id' });
}
