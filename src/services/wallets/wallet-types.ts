import type { BackupType, WalletType } from '../../store/records.ts';

export const WALLET_TYPES = [
  'segwit',
  'taproot',
  'nested-segwit',
  'legacy',
  'multisig',
  'watch-only',
] as const satisfies readonly WalletType[];

export const BACKUP_TYPES = ['encrypted', 'mnemonic', 'none'] as const satisfies readonly BackupType[];

/** descriptor: BIP389, one line. bip388: wallet policy. bip129: descriptor record. coldcard: text file. bitcoin-core: importdescriptors. */
export const EXPORT_FORMATS = ['descriptor', 'bip388', 'bip129', 'coldcard', 'bitcoin-core'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];
