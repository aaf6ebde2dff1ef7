/**
 * Wallets: made, restored, watched. Every method sees the context's account alone; to it, what belongs to another account is
 * `not_found`. Nothing secret is in any answer but the two of `create` and `backup`, and nothing secret is in any error.
 */
import type { Outpoint } from '../../core/outpoint.ts';
import type { SingleKeyType } from '../../core/wallets/extended-key.ts';
import type { MultisigScript } from '../../core/wallets/wallet-descriptors.ts';
import type {
  BackupType,
  Balance,
  CoinRecord,
  Page,
  PageRequest,
  ScriptRecord,
  WalletId,
  WalletRecord,
  WalletType,
} from '../../store/records.ts';
import type { Held } from '../approvals/held-answer.ts';
import type { RequestContext } from '../requests/request-context.ts';
import type { ExportFormat } from './wallet-types.ts';

export type { SingleKeyType } from '../../core/wallets/extended-key.ts';
export type { MultisigScript } from '../../core/wallets/wallet-descriptors.ts';
export { BACKUP_TYPES, EXPORT_FORMATS, type ExportFormat, WALLET_TYPES } from './wallet-types.ts';

/** A height, or an ISO 8601 date or time: no transaction of the wallet is older. */
export type Birthday = number | string;

export interface CreateWalletRequest {
  readonly name: string;
  readonly type: WalletType;
  readonly backupType: BackupType;
  readonly externalId?: string | undefined;
  /** Restore from words; `words` is the length of fresh ones (24 unless said). */
  readonly mnemonic?: string | undefined;
  readonly mnemonicPassphrase?: string | undefined;
  readonly words?: 12 | 24 | undefined;
  /** Restore from a backup (compact JWE). */
  readonly backup?: string | undefined;
  /** Opens `backup`, and encrypts the new one of backup_type encrypted. */
  readonly backupPassphrase?: string | undefined;
  readonly birthday?: Birthday | undefined;
  readonly required?: number | undefined;
  readonly cosigners?: readonly string[] | undefined;
  readonly ownKey?: boolean | undefined;
  readonly descriptor?: string | undefined;
  readonly xpub?: string | undefined;
  readonly scriptType?: SingleKeyType | MultisigScript | undefined;
}

export interface WalletView {
  readonly wallet: WalletRecord;
  readonly balance: Balance;
}

/** One JWE. `serverBound`: it opens under this server's master key only. */
export interface WalletBackup {
  readonly jwe: string;
  readonly serverBound: boolean;
}

export interface CreatedWallet extends WalletView {
  /** Fresh words of backup_type mnemonic, shown this once; null otherwise. */
  readonly mnemonic: string | null;
  readonly backup: WalletBackup | null;
}

export interface WalletPatch {
  readonly name?: string | undefined;
  readonly externalId?: string | null | undefined;
  readonly archived?: boolean | undefined;
  /** true makes it the account's default; the one that was it no longer is. */
  readonly isDefault?: boolean | undefined;
}

export interface AddressView {
  readonly script: ScriptRecord;
  /** "m/84h/1h/0h/0/5"; null where there are several keys or no origin. */
  readonly path: string | null;
}

export interface CoinView extends CoinRecord {
  readonly address: string;
  readonly path: string | null;
  readonly confirmations: number;
  /** Locked since its payer is on a screening list. */
  readonly screened: boolean;
}

export interface BalanceView {
  readonly walletId: WalletId;
  readonly height: number;
  readonly balance: Balance;
}

export interface LabelImport {
  readonly imported: number;
  /** Lines of other wallets (by origin) and of types BIP329 does not define. */
  readonly ignored: number;
}

export interface WalletService {
  /**
   * Throws `invalid_value` (naming a field that does not fit the type), `invalid_mnemonic`, `invalid_backup`, `invalid_descriptor`,
   * `wrong_network`, `unsupported`, `policy_refused`, `birthday_pruned`, and for restores `node_unavailable`.
   */
  create(request: CreateWalletRequest, context: RequestContext): Promise<CreatedWallet>;
  get(walletId: WalletId, context: RequestContext): Promise<WalletView>;
  list(
    filter: { type?: WalletType; name?: string; externalId?: string; archived?: boolean },
    page: PageRequest,
    context: RequestContext,
  ): Promise<Page<WalletView>>;
  update(walletId: WalletId, patch: WalletPatch, context: RequestContext): Promise<WalletView>;
  /** A backup as of now: seed, descriptors, birthday, indexes, labels. Held where rules want it approved first. */
  backup(walletId: WalletId, passphrase: string | null, context: RequestContext): Promise<WalletBackup | Held>;
  /** As of now, or as of the end of block `height` from confirmed coins alone. */
  balance(walletId: WalletId, height: number | null, context: RequestContext): Promise<BalanceView>;
  reserveAddress(
    walletId: WalletId,
    request: { change: boolean; label: string | null },
    context: RequestContext,
  ): Promise<AddressView>;
  /** Reserved addresses; with `lookAhead` also those derived beyond, within the gap limit. */
  listAddresses(
    walletId: WalletId,
    filter: { change?: boolean; used?: boolean; label?: string; lookAhead?: boolean },
    page: PageRequest,
    context: RequestContext,
  ): Promise<Page<AddressView>>;
  listUtxos(
    walletId: WalletId,
    filter: { locked?: boolean; frozen?: boolean; confirmed?: boolean; address?: string },
    page: PageRequest,
    context: RequestContext,
  ): Promise<Page<CoinView>>;
  /** All of them or, where one is not an unspent coin of the wallet, none: `not_found` naming it. */
  flagUtxos(
    walletId: WalletId,
    outpoints: readonly Outpoint[],
    flags: { locked: boolean } | { frozen: boolean },
    context: RequestContext,
  ): Promise<CoinView[]>;
  /**
   * The wallet's public side for other devices and programs, as text. Throws `not_representable` where the format has no word for it.
   */
  export(walletId: WalletId, format: ExportFormat, context: RequestContext): Promise<string>;
  /** BIP329 JSON lines. */
  exportLabels(walletId: WalletId, context: RequestContext): Promise<string>;
  /** Throws `invalid_label_file` naming the line; then nothing was imported. */
  importLabels(walletId: WalletId, lines: string, context: RequestContext): Promise<LabelImport>;
  /** Queues a scan of the chain from `fromHeight` (the birthday unless said); its progress is in the wallet's record. */
  rescan(walletId: WalletId, fromHeight: number | null, context: RequestContext): Promise<WalletView>;
}
