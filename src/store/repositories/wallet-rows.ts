import type { Generated, Selectable } from 'kysely';
import type { AccountId, WalletId } from '../../core/ids.ts';
import type { Network } from '../../core/network.ts';
import {
  flag,
  integer,
  json,
  orNull,
  type RecordOf,
  type RowOf,
  readOnly,
  table,
  text,
  time,
} from '../queries/columns.ts';
import { rowsOf } from '../queries/rows-of.ts';
import { numberOrNull } from './column-values.ts';

export type WalletType = 'segwit' | 'taproot' | 'nested-segwit' | 'legacy' | 'multisig' | 'watch-only';

export type BackupType = 'encrypted' | 'mnemonic' | 'none';

export type ScanState = 'idle' | 'queued' | 'scanning' | 'failed';

/** AES-256-GCM under a per-wallet data key, itself wrapped by the key provider. All fields base64url. */
export interface EncryptedSecret {
  keyId: string;
  wrappedKey: string;
  iv: string;
  ciphertext: string;
  tag: string;
}

export interface WalletScan {
  state: ScanState;
  fromHeight: number | null;
  atHeight: number | null;
  toHeight: number | null;
  error: string | null;
}

export interface Balance {
  /** Coins in blocks, mature, unspent by us. Locked and frozen ones are part of it, and those of payments that wait for signatures. */
  confirmedSats: bigint;
  /** Unconfirmed change and deposits. */
  pendingSats: bigint;
  /** Coinbase outputs below 100 confirmations. */
  immatureSats: bigint;
  /** Of all unspent coins, those locked, frozen, or claimed by payments, offers and funding transactions that wait for signatures. */
  lockedSats: bigint;
}

const walletsTable = table('wallets', ['walletId'], {
  walletId: text<WalletId>(),
  accountId: text<AccountId>(),
  name: text(),
  externalId: orNull(text()),
  type: text<WalletType>(),
  backupType: text<BackupType>(),
  network: text<Network>(),
  /** Master key fingerprint, 8 hex digits; null where several or none. */
  fingerprint: orNull(text()),
  /** Public descriptors with key origin and checksum. Ranged (`/*`), or fixed for a watch-only wallet without wildcard. */
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
export type FlatWallet = RecordOf<typeof walletsTable>;
export type WalletRecord = Omit<FlatWallet, 'scanState' | 'scanFrom' | 'scanAt' | 'scanTo' | 'scanError'> & {
  readonly scan: WalletScan;
};

declare module '../schema.ts' {
  interface Schema {
    wallets: RowOf<typeof walletsTable> & {
      /** When its keys were last handed out to be kept; 0: never. */
      backed_up_at: Generated<bigint>;
    };
  }
}

export const flatScan = ({ state, fromHeight, atHeight, toHeight, error }: WalletScan) => ({
  scanState: state,
  scanFrom: fromHeight,
  scanAt: atHeight,
  scanTo: toHeight,
  scanError: error,
});
export const flatWallet = ({ scan, ...wallet }: WalletRecord): FlatWallet => ({ ...wallet, ...flatScan(scan) });

const toWallet = (row: Selectable<RowOf<typeof walletsTable>>): WalletRecord => ({
  walletId: row.wallet_id as WalletId,
  accountId: row.account_id as AccountId,
  name: row.name,
  externalId: row.external_id,
  type: row.type as WalletType,
  backupType: row.backup_type as BackupType,
  network: row.network as Network,
  fingerprint: row.fingerprint,
  externalDescriptor: row.external_descriptor,
  internalDescriptor: row.internal_descriptor,
  secret: walletsTable.columns.secret.load(row.secret),
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

export const wallets = rowsOf(walletsTable, '', toWallet);
