import type { Generated } from 'kysely';
import type { Network } from '../../core/network.ts';
import type { Txid } from '../../core/outpoint.ts';
import type {
  BackupType,
  CoinRecord,
  EncryptedSecret,
  LabelRecord,
  ScanState,
  ScriptRecord,
  WalletRecord,
  WalletType,
} from '../records.ts';
import { flag, integer, json, named, orNull, type RowOf, readOnly, sats, table, text, time } from './columns.ts';

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

/** Every script a wallet watches: one row per derived address. */
export const scripts = table<ScriptRecord>()('scripts', ['scriptPubKey'], {
  walletId: text(),
  accountId: text(),
  scriptPubKey: named('script_pubkey', text()),
  change: flag,
  index: named('derivation_index', integer),
  address: text(),
  label: orNull(text()),
  reservedAt: orNull(time),
  usedAt: orNull(time),
});

export const coins = table<CoinRecord>()('coins', ['txid', 'vout'], {
  walletId: text(),
  accountId: text(),
  txid: text<Txid>(),
  vout: integer,
  amountSats: sats,
  scriptPubKey: named('script_pubkey', text()),
  change: flag,
  index: named('derivation_index', integer),
  coinbase: flag,
  /** While the creating transaction can still be or is in the chain; not once it is replaced, conflicted, abandoned or failed. */
  live: flag,
  /** The creating transaction is our own payment (its change may be spent unconfirmed). */
  own: flag,
  /** The creating transaction's version, for TRUC (3). */
  txVersion: integer,
  height: orNull(integer),
  spentBy: orNull(text<Txid>()),
  spentHeight: orNull(integer),
  locked: flag,
  frozen: flag,
  label: orNull(text()),
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
  scripts: RowOf<typeof scripts> & { script_id: Generated<bigint> };
  coins: RowOf<typeof coins> & { coin_id: Generated<bigint> };
  labels: RowOf<typeof labels>;
}
