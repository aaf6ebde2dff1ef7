export type { Role, Tier } from '../core/access.ts';
export type { AccountRecord, ApiKeyRecord, IdempotencyRecord } from './tables/accounts.ts';
export type { BlockRecord } from './tables/blocks.ts';
export {
  CONTRACT_KINDS,
  type ContractKind,
  type Recipient,
  TRANSACTION_STATUSES,
  type TransactionDirection,
  type TransactionInput,
  type TransactionKind,
  type TransactionRecord,
  type TransactionStatus,
  type WalletEffect,
} from './tables/transactions.ts';
export type {
  BackupType,
  Balance,
  CoinRecord,
  EncryptedSecret,
  LabelRecord,
  ScanState,
  ScriptRecord,
  WalletRecord,
  WalletScan,
  WalletType,
} from './tables/wallets.ts';

export type EventChannel = 'transactions' | 'blocks' | 'contracts';

export interface NewEvent {
  accountId: string | null;
  channel: EventChannel;
  /** What it is about: a txid, a block hash, a contract_id. */
  ref: string;
  data: Record<string, unknown>;
  /** event_id of the event this one takes back. */
  retractsEventId?: bigint;
}

export interface StoredEvent {
  eventId: bigint;
  seq: bigint;
  accountId: string | null;
  channel: EventChannel;
  /** JSON text, ready to be spliced into a message. */
  data: string;
  retractsSeq: bigint | null;
  createdAt: number;
}

export interface PageRequest {
  limit: number;
  offset: number;
  /** Opaque: what a previous page gave as nextCursor. Goes before offset. */
  cursor?: string;
}

export interface Page<T> {
  data: T[];
  total: number;
  limit: number;
  offset: number;
  hasMore: boolean;
  nextCursor: string | null;
}
