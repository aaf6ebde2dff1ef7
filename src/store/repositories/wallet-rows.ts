import type { Insertable, Selectable, Updateable } from 'kysely';
import type { Network } from '../../core/network.ts';
import type { BackupType, ScanState, WalletRecord, WalletType } from '../records.ts';
import type { Schema } from '../schema.ts';
import { bigintOrNull, flag, jsonOrNull, numberOrNull, parsedOrNull } from './column-values.ts';

export const toWallet = (row: Selectable<Schema['wallets']>): WalletRecord => ({
  walletId: row.wallet_id,
  accountId: row.account_id,
  name: row.name,
  externalId: row.external_id,
  type: row.type as WalletType,
  backupType: row.backup_type as BackupType,
  network: row.network as Network,
  fingerprint: row.fingerprint,
  externalDescriptor: row.external_descriptor,
  internalDescriptor: row.internal_descriptor,
  secret: parsedOrNull(row.secret),
  isDefault: row.is_default === 1n,
  birthdayHeight: Number(row.birthday_height),
  nextExternalIndex: Number(row.next_external_index),
  nextInternalIndex: Number(row.next_internal_index),
  scan: {
    state: row.scan_state as ScanState,
    fromHeight: numberOrNull(row.scan_from),
    atHeight: numberOrNull(row.scan_at),
    toHeight: numberOrNull(row.scan_to),
    error: row.scan_error,
  },
  transactionCount: Number(row.transaction_count),
  archivedAt: numberOrNull(row.archived_at),
  createdAt: Number(row.created_at),
});

export const scanColumns = (scan: WalletRecord['scan']) =>
  ({
    scan_state: scan.state,
    scan_from: bigintOrNull(scan.fromHeight),
    scan_at: bigintOrNull(scan.atHeight),
    scan_to: bigintOrNull(scan.toHeight),
    scan_error: scan.error,
  }) satisfies Updateable<Schema['wallets']>;

export const walletColumns = (wallet: WalletRecord): Insertable<Schema['wallets']> => ({
  wallet_id: wallet.walletId,
  account_id: wallet.accountId,
  name: wallet.name,
  external_id: wallet.externalId,
  type: wallet.type,
  backup_type: wallet.backupType,
  network: wallet.network,
  fingerprint: wallet.fingerprint,
  external_descriptor: wallet.externalDescriptor,
  internal_descriptor: wallet.internalDescriptor,
  secret: jsonOrNull(wallet.secret),
  is_default: flag(wallet.isDefault),
  birthday_height: BigInt(wallet.birthdayHeight),
  next_external_index: BigInt(wallet.nextExternalIndex),
  next_internal_index: BigInt(wallet.nextInternalIndex),
  ...scanColumns(wallet.scan),
  archived_at: bigintOrNull(wallet.archivedAt),
  created_at: BigInt(wallet.createdAt),
});
