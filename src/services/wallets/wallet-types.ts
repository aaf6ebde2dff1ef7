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
