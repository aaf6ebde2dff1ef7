import type { Generated } from 'kysely';
import type { Network } from '../../core/network.ts';
import type { Txid } from '../../core/outpoint.ts';
import {
  flag,
  integer,
  json,
  named,
  orNull,
  type RecordOf,
  type RowOf,
  readOnly,
  sats,
  table,
  text,
  time,
} from './columns.ts';

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

export const wallets = table('wallets', ['walletId'], {
  walletId: text(),
  accountId: text(),
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
export type FlatWallet = RecordOf<typeof wallets>;
export type WalletRecord = Omit<FlatWallet, 'scanState' | 'scanFrom' | 'scanAt' | 'scanTo' | 'scanError'> & {
  readonly scan: WalletScan;
};

/** Every script a wallet watches: one row per derived address. */
export const scripts = table('scripts', ['scriptPubKey'], {
  walletId: text(),
  accountId: text(),
  /** hex */
  scriptPubKey: named('script_pubkey', text()),
  change: flag,
  index: named('derivation_index', integer),
  address: text(),
  label: orNull(text()),
  /** When a caller (or a payment, for change) took it; null for look-ahead scripts within the gap limit. */
  reservedAt: orNull(time),
  /** When a transaction first paid to it. */
  usedAt: orNull(time),
});
export type ScriptRecord = RecordOf<typeof scripts>;

export const coins = table('coins', ['txid', 'vout'], {
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
export type CoinRecord = RecordOf<typeof coins>;

export const labels = table('labels', ['type', 'ref'], {
  accountId: text(),
  walletId: text(),
  type: text<'tx' | 'addr' | 'pubkey' | 'input' | 'output' | 'xpub'>(),
  ref: text(),
  label: text(),
  /** Further BIP329 fields (origin, spendable, …) as JSON. */
  extra: orNull(json<Record<string, unknown>>()),
});
/** One BIP329 label. */
export type LabelRecord = RecordOf<typeof labels>;

export interface WalletTables {
  wallets: RowOf<typeof wallets>;
  scripts: RowOf<typeof scripts> & { script_id: Generated<bigint> };
  coins: RowOf<typeof coins> & { coin_id: Generated<bigint> };
  labels: RowOf<typeof labels>;
}
