export type { Role, Tier } from '../core/access.ts';
export type { WalletId } from '../core/ids.ts';
export type { Page, PageRequest } from './queries/page-of-rows.ts';
export type { AccountRecord } from './repositories/accounts.ts';
export type { ApiKeyRecord } from './repositories/api-keys.ts';
export type { BlockRecord } from './repositories/blocks.ts';
export type { CoinRecord } from './repositories/coin-rows.ts';
export type { NewEvent, StoredEvent } from './repositories/events.ts';
export type { IdempotencyRecord } from './repositories/idempotency.ts';
export type { LabelRecord } from './repositories/labels.ts';
export type { ScriptRecord } from './repositories/script-rows.ts';
export {
  CONTRACT_KINDS,
  type ContractKind,
  type ListedTransaction,
  type Recipient,
  TRANSACTION_STATUSES,
  type TransactionDirection,
  type TransactionKind,
  type TransactionRecord,
  type TransactionStatus,
  type WalletEffect,
} from './repositories/transaction-rows.ts';
export type {
  BackupType,
  Balance,
  EncryptedSecret,
  WalletRecord,
  WalletScan,
  WalletType,
} from './repositories/wallet-rows.ts';
