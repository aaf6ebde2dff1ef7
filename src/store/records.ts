/** The records the repositories give and take: camelCase, satoshis and counters typed, nothing of SQL in them. */
import type { Role, Tier } from '../core/access.ts';
import type { Network } from '../core/network.ts';
import type { BlockHash, Outpoint, Txid } from '../core/outpoint.ts';

export type { Role, Tier } from '../core/access.ts';

export interface AccountRecord {
  accountId: string;
  name: string;
  /** The account that runs the service: its administrators make accounts. */
  platform: boolean;
  /** The highest that its credentials may have. */
  tier: Tier;
  createdAt: number;
  frozenAt: number | null;
  frozenReason: string | null;
}

export interface ApiKeyRecord {
  keyId: string;
  accountId: string;
  name: string;
  prefix: string;
  secretHash: string;
  role: Role;
  /** `<plural noun>:read|write`, or `*` for all. */
  scopes: readonly string[];
  tier: Tier;
  limits: Readonly<Record<string, number>> | null;
  allowedIps: readonly string[] | null;
  /** False only where an administrator issued it so under SIGNATURE_POLICY=per-key. */
  requireSignature: boolean;
  /** It may give what goes beyond itself (services/credentials/grants.ts). */
  mayGrant: boolean;
  /** The credential that made it; null for the first start and the command line. */
  createdBy: string | null;
  /** Its successor, and until when the key itself still works beside it. */
  rotatedTo: string | null;
  overlapEndsAt: number | null;
  expiresAt: number | null;
  revokedAt: number | null;
  lastUsedAt: number | null;
  createdAt: number;
}

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

export interface WalletRecord {
  walletId: string;
  accountId: string;
  name: string;
  externalId: string | null;
  type: WalletType;
  backupType: BackupType;
  network: Network;
  /** Master key fingerprint, 8 hex digits; null where several or none. */
  fingerprint: string | null;
  /** Public descriptors with key origin and checksum. Ranged (`/*`), or fixed for a watch-only wallet without wildcard. */
  externalDescriptor: string;
  internalDescriptor: string | null;
  secret: EncryptedSecret | null;
  isDefault: boolean;
  birthdayHeight: number;
  nextExternalIndex: number;
  nextInternalIndex: number;
  scan: WalletScan;
  transactionCount: number;
  archivedAt: number | null;
  createdAt: number;
}

export interface ScriptRecord {
  walletId: string;
  accountId: string;
  /** hex */
  scriptPubKey: string;
  change: boolean;
  index: number;
  address: string;
  label: string | null;
  /** When a caller (or a payment, for change) took it; null for look-ahead scripts within the gap limit. */
  reservedAt: number | null;
  /** When a transaction first paid to it. */
  usedAt: number | null;
}

export interface CoinRecord extends Outpoint {
  walletId: string;
  accountId: string;
  amountSats: bigint;
  scriptPubKey: string;
  change: boolean;
  index: number;
  coinbase: boolean;
  live: boolean;
  own: boolean;
  txVersion: number;
  height: number | null;
  spentBy: Txid | null;
  spentHeight: number | null;
  locked: boolean;
  frozen: boolean;
  label: string | null;
  createdAt: number;
}

export const TRANSACTION_STATUSES = [
  'awaiting_approval',
  'awaiting_signature',
  'signed',
  'broadcast',
  'confirmed',
  'replaced',
  'conflicted',
  'abandoned',
  'failed',
] as const;
export type TransactionStatus = (typeof TRANSACTION_STATUSES)[number];
export type TransactionDirection = 'outgoing' | 'incoming' | 'internal';
/**
 * What a payment is to a contract. A funding transaction that only the counterparty can complete is `signed`, its bytes null until it is
 * seen; a CET or refund whose bytes are null is the counterparty's, found on the chain.
 */
export const CONTRACT_KINDS = ['funding', 'cet', 'refund', 'cooperative_close'] as const;
export type ContractKind = (typeof CONTRACT_KINDS)[number];
export type TransactionKind = 'payment' | 'deposit' | 'bump' | 'cpfp' | 'cancel' | ContractKind;

export interface Recipient {
  address: string;
  amountSats: bigint;
}

export interface TransactionRecord {
  accountId: string;
  txid: Txid;
  unsignedTxid: Txid;
  /** The paying wallet, or else the first receiving one. */
  walletId: string;
  ordinal: number;
  kind: TransactionKind;
  status: TransactionStatus;
  direction: TransactionDirection;
  /** The signed transaction's bytes. */
  raw: Uint8Array | null;
  psbt: string | null;
  recipients: Recipient[];
  amountSats: bigint;
  /** null where inputs are not ours and their amounts unknown. */
  feeSats: bigint | null;
  vsize: number | null;
  version: number;
  locktime: number;
  /** null where it was not counted: records of former versions whose inputs are not all known. */
  inputCount: number | null;
  /** The part of the fee that lifted unconfirmed ancestors to the asked feerate. */
  ancestorFeeSats: bigint;
  rbf: boolean;
  blockHeight: number | null;
  blockHash: BlockHash | null;
  replaces: Txid | null;
  replacedBy: Txid | null;
  label: string | null;
  externalId: string | null;
  reason: string | null;
  createdAt: number;
  updatedAt: number;
}

export interface TransactionInput {
  vin: number;
  prev: Outpoint;
}

/** What a transaction did to one wallet. */
export interface WalletEffect {
  walletId: string;
  receivedSats: bigint;
  sentSats: bigint;
}

export interface BlockRecord {
  height: number;
  hash: BlockHash;
  prevHash: BlockHash;
  /** Unix seconds, as in the header. */
  time: number;
  medianTime: number;
}

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

export interface IdempotencyRecord {
  accountId: string;
  key: string;
  /** SHA-256 over method, path, query and body, hex. */
  fingerprint: string;
  /** Operation id. */
  operation: string;
  target: string | null;
  status: number;
  body: string;
  createdAt: number;
  expiresAt: number;
}

/** One BIP329 label. */
export interface LabelRecord {
  accountId: string;
  walletId: string;
  type: 'tx' | 'addr' | 'pubkey' | 'input' | 'output' | 'xpub';
  ref: string;
  label: string;
  /** Further BIP329 fields (origin, spendable, …) as JSON. */
  extra: Record<string, unknown> | null;
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
