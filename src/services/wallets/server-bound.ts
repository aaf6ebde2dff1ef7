/**
 * Who holds a server-bound backup does not have its keys: a restore must not bring them to where the rules of their owner do not apply,
 * another account or a second wallet.
 */
import { DomainError } from '../../core/errors.ts';
import type { WalletId, WalletRecord } from '../../store/records.ts';
import type { Repositories } from '../../store/store.ts';
import { refuseTreasury } from '../policies/treasuries.ts';
import type { ScriptPool } from './database-script-pool.ts';
import { boundElsewhere, type OpenedBackup } from './wallet-backup.ts';
import type { CreateWalletRequest } from './wallet-service.ts';

/**
 * Throws `invalid_backup` unless the backup is of the account. In a database of one account (a new one, after the old was lost) there is
 * nobody else whose it could be.
 */
export async function requireOwnBackup(
  { accounts }: Pick<Repositories, 'accounts'>,
  { accountId }: OpenedBackup,
  own: string,
  { backupPassphrase }: CreateWalletRequest,
): Promise<void> {
  if (accountId !== own && (await accounts.count()) !== 1) {
    if (accountId !== null) throw boundElsewhere();
    throw new DomainError(
      'invalid_backup',
      'the backup is of an older version and does not name its account: it restores only in a database with a single account (docs/operating.md)',
      { field: 'backup' },
    );
  }
  if (backupPassphrase === undefined) return;
  // Under a passphrase the keys leave the service, which takes the role admin and is what rules decide on.
  throw new DomainError(
    'invalid_value',
    'a server-bound backup opens without a passphrase: leave backup_passphrase out; POST /api/v1/wallets/{wallet_id}/backup then makes a backup with one',
    { field: 'backup_passphrase' },
  );
}

/**
 * In the job that makes the wallet, after its scripts: their count is in the account's row, which makes concurrent restores wait for each
 * other. Throws `state_conflict` if the account has the wallet, archived or not. A watch-only copy does not count beside keys.
 */
export async function requireOnlyCopy(
  { scripts }: Pick<Repositories, 'scripts'>,
  pool: Pick<ScriptPool, 'model'>,
  wallet: WalletRecord,
): Promise<void> {
  const { scriptPubKey } = pool.model(wallet).scriptAt(false, 0);
  const other = await scripts.otherHolder(wallet.accountId, wallet.walletId, scriptPubKey, wallet.secret !== null);
  if (other === null) return;
  throw new DomainError(
    'state_conflict',
    `the account has this wallet already, as ${other}: a server-bound backup restores only a wallet that is no longer there`,
    { field: 'backup' },
  );
}

/** In the same job: nothing else of the account has the keys of a treasury. Throws `policy_denied`. */
export async function refuseTreasuryCopy(
  tx: Pick<Repositories, 'scripts' | 'enterpriseConfig'>,
  pool: Pick<ScriptPool, 'model'>,
  wallet: WalletRecord,
): Promise<void> {
  const { accountId, walletId, secret } = wallet;
  if (secret === null) return;
  const { scriptPubKey } = pool.model(wallet).scriptAt(false, 0);
  const other = await tx.scripts.otherHolder(accountId, walletId, scriptPubKey, true);
  await refuseTreasury(tx, accountId, [other as WalletId | null], 'no other wallet can have its keys');
}
