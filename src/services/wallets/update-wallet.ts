import { DomainError } from '../../core/errors.ts';
import type { AccountId } from '../../core/ids.ts';
import type { WalletRecord } from '../../store/records.ts';
import type { Repositories } from '../../store/store.ts';
import { refuseTreasury } from '../policies/treasuries.ts';
import { recordRequest } from '../requests/record-request.ts';
import { requireWallet, viewWallet, type WalletDependencies } from './wallet-dependencies.ts';
import type { WalletPatch, WalletService } from './wallet-service.ts';

/** Renames, archives, makes default. An archived wallet keeps being watched; it is out of lists and is no default. */
export function createUpdateWallet(deps: Pick<WalletDependencies, 'store' | 'clock'>): WalletService['update'] {
  return (walletId, patch, context) =>
    deps.store.write(async (tx) => {
      const wallet = await requireWallet(tx, context.accountId, walletId);
      if (patch.archived) await refuseTreasury(tx, context.accountId, [walletId], 'it cannot be archived');
      const archivedAt = archivedAfter(wallet, patch, deps.clock());
      refuseDefault(wallet, patch, archivedAt);
      if (patch.isDefault && !wallet.isDefault) await clearDefault(tx, context.accountId);
      const isDefault = archivedAt === null && (patch.isDefault ?? wallet.isDefault);
      const updated = await tx.wallets.update(context.accountId, walletId, {
        ...(patch.name === undefined ? {} : { name: patch.name }),
        ...(patch.externalId === undefined ? {} : { externalId: patch.externalId }),
        archivedAt,
        // Said only where it changes: the account's other wallets are looked at then.
        ...(isDefault === wallet.isDefault ? {} : { isDefault }),
      });
      const result = await viewWallet(tx, updated ?? wallet);
      await recordRequest(tx, context, { result, target: walletId });
      return result;
    });
}

function archivedAfter(wallet: WalletRecord, patch: WalletPatch, now: number): number | null {
  if (patch.archived === undefined) return wallet.archivedAt;
  return patch.archived ? (wallet.archivedAt ?? now) : null;
}

function refuseDefault(wallet: WalletRecord, patch: WalletPatch, archivedAt: number | null): void {
  if (!patch.isDefault) return;
  if (archivedAt !== null) {
    throw new DomainError('state_conflict', 'an archived wallet cannot be the default', { field: 'is_default' });
  }
  if (wallet.externalDescriptor.startsWith('addr(')) {
    throw new DomainError(
      'state_conflict',
      'nobody can pay from a bare address: it cannot be the default to pay from',
      {
        field: 'is_default',
      },
    );
  }
}

async function clearDefault(tx: Repositories, accountId: AccountId): Promise<void> {
  const standing = await tx.wallets.findDefault(accountId);
  if (standing?.isDefault) await tx.wallets.update(accountId, standing.walletId, { isDefault: false });
}
