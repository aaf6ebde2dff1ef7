import { DomainError } from '../../../core/errors.ts';
import type { AccountId } from '../../../core/ids.ts';
import { assertDescribesKeys } from '../../../core/wallets/spending-data.ts';
import type { WalletId, WalletRecord } from '../../../store/records.ts';
import type { Repositories } from '../../../store/store.ts';
import { requireWallet } from '../../wallets/wallet-dependencies.ts';

/**
 * The wallet a payment comes from: the named one, or the account's default or only one. Throws `not_found`, `invalid_value` where
 * none is named and several could be meant, `state_conflict` where it is archived, and `signing_unavailable` where nobody could be told
 * what to sign.
 */
export async function payingWallet(
  read: Pick<Repositories, 'wallets'>,
  accountId: AccountId,
  walletId: WalletId | undefined,
): Promise<WalletRecord> {
  const wallet =
    walletId === undefined ? await defaultWallet(read, accountId) : await requireWallet(read, accountId, walletId);
  if (wallet.archivedAt !== null) {
    throw new DomainError('state_conflict', `wallet ${wallet.walletId} is archived: bring it back to pay from it`, {
      field: 'wallet_id',
    });
  }
  assertDescribesKeys(wallet.externalDescriptor);
  return wallet;
}

async function defaultWallet(read: Pick<Repositories, 'wallets'>, accountId: AccountId): Promise<WalletRecord> {
  const wallet = await read.wallets.findDefault(accountId);
  if (wallet) return wallet;
  const { total } = await read.wallets.list(accountId, { archived: false }, { limit: 1, offset: 0 });
  if (total === 0) {
    throw new DomainError('not_found', 'this account has no wallet to pay from: make one first', {
      field: 'wallet_id',
    });
  }
  throw new DomainError('invalid_value', `this account has ${total} wallets and no default: name one in wallet_id`, {
    field: 'wallet_id',
  });
}
