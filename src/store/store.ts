/**
 * The one seam to the database. Services get a Store and never see Kysely, SQL or a connection.
 *
 * `read` answers from committed data. `write` runs a job in a transaction and resolves only after its COMMIT returned:
 * on SQLite jobs that wait together share one COMMIT, each in a savepoint of its own, so a job that throws rolls back alone;
 * on PostgreSQL each job is a transaction, tried again on serialization failure or deadlock. So a job
 * - awaits nothing but the repositories it was given (it holds the writer), and
 * - may run more than once: it has no effect outside `tx`;
 * - does not go on after a statement that the database refused: PostgreSQL has given the transaction up by then.
 * On PostgreSQL transactions are READ COMMITTED: what must hold when a job commits stands in the statement that writes it (claim,
 * takeIndex, unique keys), not in a read before.
 */

import type { BlockHash, Outpoint, Txid } from '../core/outpoint.ts';
import type { AccountRepository } from './interfaces/accounts.ts';
import type { AddressHistoryRepository, AddressScanRepository } from './interfaces/address-scans.ts';
import type { ApiKeyRepository } from './interfaces/api-keys.ts';
import type { AuditRepository } from './interfaces/audit.ts';
import type { LoginFailureRepository, PasswordResetRepository, SsoRepository } from './interfaces/logins.ts';
import type { MusigSessionRepository } from './interfaces/musig-sessions.ts';
import type { OAuthClientRepository } from './interfaces/oauth-clients.ts';
import type { RevokedTokenRepository } from './interfaces/revoked-tokens.ts';
import type { RefreshTokenRepository, SessionRepository } from './interfaces/sessions.ts';
import type { SignatureNonceRepository, SigningKeyRepository } from './interfaces/signing-keys.ts';
import type { TaprootOutputRepository } from './interfaces/taproot-outputs.ts';
import type { TokenKeyRepository } from './interfaces/token-keys.ts';
import type { UserRepository } from './interfaces/users.ts';
import type { WrappedKeyRepository } from './interfaces/wrapped-keys.ts';
import type {
  Balance,
  BlockRecord,
  CoinRecord,
  IdempotencyRecord,
  LabelRecord,
  NewEvent,
  Page,
  PageRequest,
  ScriptRecord,
  StoredEvent,
  TransactionDirection,
  TransactionInput,
  TransactionRecord,
  TransactionStatus,
  WalletEffect,
  WalletRecord,
} from './records.ts';

export interface Store {
  readonly kind: 'sqlite' | 'postgres';
  readonly read: Repositories;
  write<T>(job: (tx: Repositories) => Promise<T>): Promise<T>;
  /** Called after each commit that wrote events (and, on PostgreSQL, when another process did). Returns the unsubscribe. */
  onEvents(listener: () => void): () => void;
  /**
   * Called after each commit that changed what a credential may do (a key revoked, an account frozen, a role changed), in every
   * process, before the writer is answered in its own. Returns the unsubscribe.
   */
  onCredentials(listener: () => void): () => void;
  /**
   * Calls the listeners of onCredentials now where another process wrote without telling this one: on SQLite the command line beside the
   * service. Whoever keeps credentials asks at each look-up; it looks at the file 20 times a second at most (docs/decisions/1012).
   */
  hearOthers(): void;
  /**
   * Called after each commit that appended to the audit log (on PostgreSQL, of other processes' within seconds). Returns the unsubscribe.
   */
  onAudit(listener: () => void): () => void;
  /**
   * Runs `work` while this process is the only one that does so for `name`, waiting for its turn (advisory lock on PostgreSQL;
   * SQLite's data directory has one process). The signal aborts when the lock is lost.
   */
  exclusively<T>(
    name: 'follower' | 'sequencer' | 'sealer' | 'masterKey',
    signal: AbortSignal,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T>;
  /** Throws where the database does not answer; for readiness. */
  ping(): Promise<void>;
  /** A consistent copy of a running SQLite database; on PostgreSQL throws `unsupported` naming pg_dump. */
  backupTo(path: string): Promise<void>;
  /** Writer queue length, for metrics. */
  queueDepth(): number;
  close(): Promise<void>;
}

export interface Repositories {
  readonly settings: SettingsRepository;
  readonly accounts: AccountRepository;
  readonly apiKeys: ApiKeyRepository;
  readonly signingKeys: SigningKeyRepository;
  readonly signatureNonces: SignatureNonceRepository;
  readonly wallets: WalletRepository;
  readonly scripts: ScriptRepository;
  readonly coins: CoinRepository;
  readonly transactions: TransactionRepository;
  readonly ledger: LedgerRepository;
  readonly events: EventRepository;
  readonly idempotency: IdempotencyRepository;
  readonly labels: LabelRepository;
  readonly wrappedKeys: WrappedKeyRepository;
  readonly audit: AuditRepository;
  readonly tokenKeys: TokenKeyRepository;
  readonly oauthClients: OAuthClientRepository;
  readonly revokedTokens: RevokedTokenRepository;
  readonly users: UserRepository;
  readonly sessions: SessionRepository;
  readonly refreshTokens: RefreshTokenRepository;
  readonly passwordResets: PasswordResetRepository;
  readonly loginFailures: LoginFailureRepository;
  readonly sso: SsoRepository;
  readonly addressScans: AddressScanRepository;
  readonly addressHistory: AddressHistoryRepository;
  readonly taprootOutputs: TaprootOutputRepository;
  readonly musigSessions: MusigSessionRepository;
}

/** Service-wide facts: master key check value, chain binding, sequence counters. */
export interface SettingsRepository {
  get(name: string): Promise<string | null>;
  /** Inserts or overwrites. */
  set(name: string, value: string): Promise<void>;
  /** Inserts unless there; answers the value that stands. */
  setOnce(name: string, value: string): Promise<string>;
}

export interface WalletRepository {
  insert(wallet: WalletRecord): Promise<void>;
  find(accountId: string, walletId: string): Promise<WalletRecord | null>;
  findByIds(accountId: string, walletIds: readonly string[]): Promise<WalletRecord[]>;
  list(
    accountId: string,
    filter: { type?: string; name?: string; externalId?: string; archived?: boolean },
    page: PageRequest,
  ): Promise<Page<WalletRecord>>;
  /** The account's default wallet, or its only unarchived one; null where neither. */
  findDefault(accountId: string): Promise<WalletRecord | null>;
  update(
    accountId: string,
    walletId: string,
    patch: Partial<Pick<WalletRecord, 'name' | 'externalId' | 'archivedAt' | 'isDefault' | 'birthdayHeight'>>,
  ): Promise<WalletRecord | null>;
  setScan(accountId: string, walletId: string, scan: WalletRecord['scan']): Promise<void>;
  /**
   * Takes the next index of the external (0) or internal (1) branch, atomically.
   */
  takeIndex(accountId: string, walletId: string, change: boolean): Promise<number>;
  /** Raises the next index to at least `next` (a restore or a deposit found an address used further on). */
  raiseNextIndex(accountId: string, walletId: string, change: boolean, next: number): Promise<void>;
}

export interface ScriptRepository {
  /** Inserts rows, leaving those that are there (same wallet and script) as they stand. */
  insertMissing(scripts: readonly ScriptRecord[]): Promise<void>;
  find(accountId: string, walletId: string, change: boolean, index: number): Promise<ScriptRecord | null>;
  findByAddress(accountId: string, walletId: string, address: string): Promise<ScriptRecord | null>;
  /** Highest derived index of a branch, -1 where none. */
  highestIndex(accountId: string, walletId: string, change: boolean): Promise<number>;
  /** Highest used index of a branch, -1 where none. */
  highestUsedIndex(accountId: string, walletId: string, change: boolean): Promise<number>;
  list(
    accountId: string,
    walletId: string,
    filter: { change?: boolean; used?: boolean; reservedOnly?: boolean; label?: string },
    page: PageRequest,
  ): Promise<Page<ScriptRecord>>;
  /** Every script of one wallet, for scans. */
  all(accountId: string, walletId: string): Promise<ScriptRecord[]>;
  reserve(
    accountId: string,
    walletId: string,
    change: boolean,
    index: number,
    at: number,
    label: string | null,
  ): Promise<void>;
  setLabel(accountId: string, walletId: string, scriptPubKey: string, label: string | null): Promise<void>;
}

export interface CoinRepository {
  /** Live, unspent, unlocked, unfrozen coins of a wallet: what selection may see (maturity and depth are its own rules). Hot path. */
  spendable(accountId: string, walletId: string): Promise<CoinRecord[]>;
  findMany(accountId: string, outpoints: readonly Outpoint[]): Promise<CoinRecord[]>;
  list(
    accountId: string,
    walletId: string,
    filter: { locked?: boolean; frozen?: boolean; confirmed?: boolean; address?: string },
    page: PageRequest,
  ): Promise<Page<CoinRecord>>;
  /** Of live coins as of now; `tipHeight` decides maturity. */
  balance(accountId: string, walletId: string, tipHeight: number): Promise<Balance>;
  /** As of the end of block `height`, from confirmed coins and confirmed spends alone. */
  balanceAt(accountId: string, walletId: string, height: number): Promise<Balance>;
  /** Balances of many wallets at once, for lists. */
  balances(accountId: string, walletIds: readonly string[], tipHeight: number): Promise<Map<string, Balance>>;
  /** False where the coin is not there. */
  setFlags(
    accountId: string,
    walletId: string,
    outpoint: Outpoint,
    flags: { locked?: boolean; frozen?: boolean; label?: string | null },
  ): Promise<boolean>;
  /**
   * Claims coins for a payment. A coin is claimable when it is live, unlocked or not (the caller decided), no block spends it, and
   * `spentBy` is null or one of `replacing`. Answers the outpoints that could not be claimed: empty means all were.
   */
  claim(accountId: string, outpoints: readonly Outpoint[], by: Txid, replacing?: readonly Txid[]): Promise<Outpoint[]>;
  /** Takes back a claim of `by`: its coins are unspent again (or spent by `restoreTo`). Answers them. */
  release(accountId: string, by: Txid, restoreTo?: Txid | null): Promise<Outpoint[]>;
}

export interface TransactionFilter {
  walletId?: string;
  status?: TransactionStatus;
  direction?: TransactionDirection;
  externalId?: string;
  label?: string;
}

export interface TransactionRepository {
  /** Inserts record, inputs and wallet links, giving the dense positions. `ordinal` of the given record is ignored. */
  insert(
    record: Omit<TransactionRecord, 'ordinal'>,
    inputs: readonly TransactionInput[],
    effects: readonly WalletEffect[],
  ): Promise<void>;
  /** By txid or unsigned txid, within the account. */
  find(accountId: string, txid: Txid): Promise<TransactionRecord | null>;
  /** By txid, for a job that goes by what it reads: until that ends no other job changes the record. */
  hold(accountId: string, txid: Txid): Promise<TransactionRecord | null>;
  findByExternalId(accountId: string, externalId: string): Promise<TransactionRecord | null>;
  /** Newest first. Unfiltered and per-wallet pages cost the same however long the history is and however deep the page. */
  list(accountId: string, filter: TransactionFilter, page: PageRequest): Promise<Page<TransactionRecord>>;
  inputs(accountId: string, txid: Txid): Promise<TransactionInput[]>;
  effects(accountId: string, txid: Txid): Promise<WalletEffect[]>;
  update(
    accountId: string,
    txid: Txid,
    patch: Partial<
      Pick<
        TransactionRecord,
        | 'status'
        | 'direction'
        | 'kind'
        | 'walletId'
        | 'raw'
        | 'psbt'
        | 'recipients'
        | 'amountSats'
        | 'feeSats'
        | 'vsize'
        | 'blockHeight'
        | 'blockHash'
        | 'replaces'
        | 'replacedBy'
        | 'label'
        | 'externalId'
        | 'reason'
        | 'updatedAt'
      >
    >,
  ): Promise<void>;
  /**
   * Adds wallet links that were not known at insert (a second wallet of the account turns out to be involved). A wallet linked
   * already keeps its position and gets the given amounts.
   */
  addEffects(accountId: string, txid: Txid, effects: readonly WalletEffect[]): Promise<void>;
  /**
   * Gives a record that waits for signatures the txid that they give it, with its inputs, links and claims; it has no coins of its own
   * yet. Its unsigned txid stays.
   */
  rename(accountId: string, txid: Txid, to: Txid): Promise<void>;
  /** Transactions of the account that spend outputs of `txid` and are alive (signed, broadcast, confirmed, awaiting_*). */
  children(accountId: string, txid: Txid): Promise<TransactionRecord[]>;
}

/** What the chain follower reads and writes. Chain facts belong to no account: this is the one repository that crosses them. */
export interface LedgerRepository {
  tip(): Promise<BlockRecord | null>;
  /** The tip, for a job that goes by it: until that ends no other job moves it. */
  holdTip(): Promise<BlockRecord | null>;
  blockAt(height: number): Promise<BlockRecord | null>;
  blocksFrom(height: number, limit: number): Promise<BlockRecord[]>;
  /** Throws where a height is taken: another process has applied a block there. */
  insertBlocks(blocks: readonly BlockRecord[]): Promise<void>;
  deleteBlock(height: number): Promise<void>;
  /**
   * Streams what is to be watched, in chunks, from rows added after `afterId` (0n: all); answers the highest id seen. The follower calls it
   * again before each matching, so that scripts and coins of every process are known. (Ids can commit out of order on PostgreSQL: the
   * caller passes an id some hundreds lower than the last answer.)
   */
  watchedScripts(afterId: bigint, onChunk: (scriptPubKeys: string[]) => void): Promise<bigint>;
  /** Outpoints of live coins that are unspent, or spent without confirmation. */
  watchedOutpoints(afterId: bigint, onChunk: (outpoints: Outpoint[]) => void): Promise<bigint>;
  /** What unconfirmed transactions (signed, broadcast, or dropped but not final) spend, ours or not, for conflict detection. */
  unconfirmedInputs(): Promise<Outpoint[]>;
  /** Rows of all wallets (of all accounts) that own one of these scripts. */
  scriptsMatching(scriptPubKeys: readonly string[]): Promise<ScriptRecord[]>;
  /** Until the job ends no other claims or spends them. */
  coinsAt(outpoints: readonly Outpoint[]): Promise<CoinRecord[]>;
  coinsOf(txid: Txid): Promise<CoinRecord[]>;
  /** Records, in any account, of this txid; until the job ends no other changes them. */
  transactionsOf(txid: Txid): Promise<TransactionRecord[]>;
  /** Records that spend one of these outpoints, other than `except`, whatever their status. */
  spendersOf(outpoints: readonly Outpoint[], except: Txid): Promise<TransactionRecord[]>;
  /** Records, in any account, that spend an output of `txid`, whatever their status: its descendants of the first degree. */
  childrenOf(txid: Txid): Promise<TransactionRecord[]>;
  transactionsInBlock(hash: BlockHash): Promise<TransactionRecord[]>;
  /** signed, broadcast: what should be in a mempool; oldest first. */
  unconfirmed(): Promise<TransactionRecord[]>;
  /** Leaves coins that are there (same wallet and outpoint) as they stand. */
  insertCoins(coins: readonly CoinRecord[]): Promise<void>;
  /** height: the creating transaction's block (null: unconfirmed again); live: see schema. Applies to every wallet's row of the coin. */
  updateCoinsOf(txid: Txid, patch: { height?: number | null; live?: boolean; own?: boolean }): Promise<void>;
  spendCoins(outpoints: readonly Outpoint[], by: Txid, height: number | null): Promise<void>;
  /** Coins spent by `txid` become unspent. Answers them. */
  unspendCoins(by: Txid): Promise<Outpoint[]>;
  freezeCoin(outpoint: Outpoint): Promise<void>;
  markScriptsUsed(scripts: readonly Pick<ScriptRecord, 'walletId' | 'scriptPubKey'>[], at: number): Promise<void>;
  wallet(walletId: string): Promise<WalletRecord | null>;
  /** Wallets whose scan is queued or was interrupted. */
  walletsToScan(): Promise<WalletRecord[]>;
}

export interface EventRepository {
  /** Appends, unnumbered; answers the event_id. */
  append(event: NewEvent): Promise<bigint>;
  appendMany(events: readonly NewEvent[]): Promise<bigint[]>;
  /** Numbers up to `limit` unnumbered events in event_id order; answers how many. Only the sequencer calls it. */
  number(limit: number): Promise<number>;
  lastSeq(): Promise<bigint>;
  /** Oldest kept seq, or null where none is kept. */
  firstSeq(): Promise<bigint | null>;
  /** Numbered events after `seq`, in order; of one account (plus those for all) and channel where given. */
  after(seq: bigint, limit: number, only?: { accountId: string; channel: string }): Promise<StoredEvent[]>;
  /** event_id of the latest event about `ref` on that channel (for that account), for retractions. */
  latestFor(channel: string, ref: string, accountId: string | null): Promise<bigint | null>;
  deleteOlderThan(time: number): Promise<number>;
}

export interface IdempotencyRepository {
  find(accountId: string, key: string, now: number): Promise<IdempotencyRecord | null>;
  /** Throws DomainError `idempotency_in_flight` where the key is taken: then the whole job rolls back. An expired row is replaced. */
  insert(record: IdempotencyRecord): Promise<void>;
  updateBody(accountId: string, key: string, status: number, body: string): Promise<void>;
  deleteExpired(now: number): Promise<number>;
}

export interface LabelRepository {
  upsert(labels: readonly LabelRecord[]): Promise<void>;
  list(accountId: string, walletId: string): Promise<LabelRecord[]>;
}
