import type { ChainSource } from '../../chain/chain-source.ts';
import { DomainError } from '../../core/errors.ts';
import type { AccountId } from '../../core/ids.ts';
import type { Network } from '../../core/network.ts';
import type { LabelJobs } from '../../core/wallets/label-jobs.ts';
import type { Computing } from '../../engines/computing/computing.ts';
import type { Balance, WalletId, WalletRecord } from '../../store/records.ts';
import type { Repositories, Store } from '../../store/store.ts';
import type { HeldRequests } from '../approvals/held-requests.ts';
import type { KeyProvider } from '../secrets/key-provider.ts';
import type { SecretBox } from '../secrets/secret-box.ts';
import type { ScriptPool } from './database-script-pool.ts';
import type { WalletView } from './wallet-service.ts';

/** What the wallet operations use. */
export interface WalletDependencies {
  readonly store: Store;
  readonly chain: Pick<ChainSource, 'info' | 'blockHashAt' | 'header'>;
  readonly pool: ScriptPool;
  readonly box: SecretBox;
  readonly held: Pick<HeldRequests, 'operation'>;
  readonly computing: Computing<LabelJobs>;
  readonly keyProvider: KeyProvider;
  readonly network: Network;
  readonly allowMainnetHotWallets: boolean;
  readonly clock: () => number;
  readonly randomBytes: (size: number) => Uint8Array;
  /** A wallet waits to be scanned. */
  readonly onScanQueued: () => void;
}

/** The account's wallet; `not_found` otherwise. */
export async function requireWallet(
  repositories: Pick<Repositories, 'wallets'>,
  accountId: AccountId,
  walletId: WalletId,
): Promise<WalletRecord> {
  const wallet = await repositories.wallets.find(accountId, walletId);
  if (!wallet) throw noWallet(walletId);
  return wallet;
}

export const noWallet = (walletId: WalletId): DomainError =>
  new DomainError('not_found', `there is no wallet ${walletId}`, { field: 'wallet_id' });

/** Height of the last block the service has followed; 0 before the first. */
export async function followedHeight(repositories: Pick<Repositories, 'ledger'>): Promise<number> {
  return (await repositories.ledger.tip())?.height ?? 0;
}

export const NO_BALANCE: Balance = { confirmedSats: 0n, pendingSats: 0n, immatureSats: 0n, lockedSats: 0n };

export async function viewWallet(
  repositories: Pick<Repositories, 'coins' | 'ledger'>,
  wallet: WalletRecord,
): Promise<WalletView> {
  const height = await followedHeight(repositories);
  return { wallet, balance: await repositories.coins.balance(wallet.accountId, wallet.walletId, height) };
}
