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

import type { AccountRepository } from './interfaces/accounts.ts';
import type { AddressHistoryRepository, AddressScanRepository } from './interfaces/address-scans.ts';
import type { ApiKeyRepository } from './interfaces/api-keys.ts';
import type { AuditRepository } from './interfaces/audit.ts';
import type { CoinRepository } from './interfaces/coins.ts';
import type { ContractMove, ContractMoveNotes } from './interfaces/contract-moves.ts';
import type { ContractRepository } from './interfaces/contracts.ts';
import type { EventRepository } from './interfaces/events.ts';
import type { IdempotencyRepository } from './interfaces/idempotency.ts';
import type { LabelRepository } from './interfaces/labels.ts';
import type { LedgerRepository } from './interfaces/ledger.ts';
import type { LoginFailureRepository, PasswordResetRepository, SsoRepository } from './interfaces/logins.ts';
import type { MetricsRepository } from './interfaces/metrics.ts';
import type { MusigSessionRepository } from './interfaces/musig-sessions.ts';
import type { OAuthClientRepository } from './interfaces/oauth-clients.ts';
import type {
  AttestationRepository,
  OracleEventRepository,
  OracleNonceRepository,
  OracleRepository,
} from './interfaces/oracles.ts';
import type { RevokedTokenRepository } from './interfaces/revoked-tokens.ts';
import type { ScriptRepository } from './interfaces/scripts.ts';
import type { RefreshTokenRepository, SessionRepository } from './interfaces/sessions.ts';
import type { SettingsRepository } from './interfaces/settings.ts';
import type { SignatureNonceRepository, SigningKeyRepository } from './interfaces/signing-keys.ts';
import type { TaprootOutputRepository } from './interfaces/taproot-outputs.ts';
import type { TokenKeyRepository } from './interfaces/token-keys.ts';
import type { TransactionRepository } from './interfaces/transactions.ts';
import type { UserRepository } from './interfaces/users.ts';
import type { WalletRepository } from './interfaces/wallets.ts';
import type { WrappedKeyRepository } from './interfaces/wrapped-keys.ts';

export type { CoinRepository } from './interfaces/coins.ts';
export type { EventRepository } from './interfaces/events.ts';
export type { IdempotencyRepository } from './interfaces/idempotency.ts';
export type { LabelRepository } from './interfaces/labels.ts';
export type { LedgerRepository } from './interfaces/ledger.ts';
export type { ScriptRepository } from './interfaces/scripts.ts';
export type { SettingsRepository } from './interfaces/settings.ts';
export type { TransactionFilter, TransactionRepository } from './interfaces/transactions.ts';
export type { WalletRepository } from './interfaces/wallets.ts';

/** What one process at a time does. */
export const EXCLUSIVE_WORK = ['follower', 'sequencer', 'sealer', 'masterKey', 'contracts'] as const;
export type ExclusiveWork = (typeof EXCLUSIVE_WORK)[number];

/** Connections of a pool. `waiting`: who wants one. SQLite has none. */
export interface PoolUse {
  readonly inUse: number;
  readonly idle: number;
  readonly waiting: number;
  readonly most: number;
}

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
   * Called in this process after each commit, for each step of a contract in it, in order; never for a job or a run of one that was rolled
   * back. Returns the unsubscribe.
   */
  onContractMoves(listener: (move: ContractMove) => void): () => void;
  /**
   * Runs `work` while this process is the only one that does so for `name`, waiting for its turn (advisory lock on PostgreSQL;
   * SQLite's data directory has one process). The signal aborts when the lock is lost.
   */
  exclusively<T>(name: ExclusiveWork, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /**
   * True where the database is where it was bound last, with all that was decided in it since. Else (it is new, or was restored, copied or
   * put back to an earlier time, by whatever means) runs `onMoved` and binds it here, in one job. A service asks once, before all else.
   */
  settleHome(onMoved: (tx: Repositories) => Promise<void>): Promise<boolean>;
  /** Throws where the database does not answer; for readiness. */
  ping(): Promise<void>;
  /** A consistent copy of a running SQLite database; on PostgreSQL throws `unsupported` naming pg_dump. */
  backupTo(path: string): Promise<void>;
  /** Writer queue length, for metrics. */
  queueDepth(): number;
  /** What this process does now as the only one. */
  leads(): ReadonlySet<ExclusiveWork>;
  pool(): PoolUse;
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
  readonly oracles: OracleRepository;
  readonly oracleEvents: OracleEventRepository;
  readonly oracleNonces: OracleNonceRepository;
  readonly attestations: AttestationRepository;
  readonly contracts: ContractRepository;
  readonly contractMoves: ContractMoveNotes;
  readonly metrics: MetricsRepository;
}
