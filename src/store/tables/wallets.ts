import type { Network } from '../../core/network.ts';
import type { BackupType, EncryptedSecret, LabelRecord, ScanState, WalletRecord, WalletType } from '../records.ts';
import { flag, integer, json, orNull, type RowOf, readOnly, table, text, time } from './columns.ts';

/** A wallet whose scan is in fields of their own. */
export interface FlatWallet extends Omit<WalletRecord, 'scan'> {
  scanState: ScanState;
  scanFrom: number | null;
  scanAt: number | null;
  scanTo: number | null;
  scanError: string | null;
}
export const wallets = table<FlatWallet>()('wallets', ['walletId'], {
  walletId: text(),
  accountId: text(),
  name: text(),
  externalId: orNull(text()),
  type: text<WalletType>(),
  backupType: text<BackupType>(),
  network: text<Network>(),
  fingerprint: orNull(text()),
  externalDescriptor: text(),
  internalDescriptor: orNull(text()),
  /** null for wallets without keys here. */
  secret: orNull(json<EncryptedSecret>()),
  isDefault: flag,
  birthdayHeight: integer,
  nextExternalIndex: integer,
  nextInternalIndex: integer,
  scanState: text<ScanState>(),
  scanFrom: orNull(integer),
  scanAt: orNull(integer),
  scanTo: orNull(integer),
  scanError: orNull(text()),
  transactionCount: readOnly(integer),
  archivedAt: orNull(time),
  createdAt: time,
});

export const labels = table<LabelRecord>()('labels', ['type', 'ref'], {
  accountId: text(),
  walletId: text(),
  type: text<LabelRecord['type']>(),
  ref: text(),
  label: text(),
  extra: orNull(json<Record<string, unknown>>()),
});

export interface WalletTables {
  wallets: RowOf<typeof wallets>;
  labels: RowOf<typeof labels>;
}
