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

import type { AccountId } from '../core/ids.ts';
import type { Repositories } from './contents.ts';
import type { ContractMove } from './repositories/contract-rows.ts';

export type { Repositories } from './contents.ts';
export type LedgerRepository = Repositories['ledger'];

/** What one process at a time does. */
export const EXCLUSIVE_WORK = [
  'follower',
  'sequencer',
  'sealer',
  'masterKey',
  'contracts',
  'connections',
  'approvals',
  'replays',
  'reports',
  'webhooks',
  'notifications',
  'notificationRules',
  'networks',
  'screening',
  'governance',
] as const;
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
  /** The same of a job of thousands of rows: accounts in turn, so that whoever writes besides waits for one of them, not for all. */
  writeLarge<T>(
    asker: { readonly accountId: AccountId; readonly signal: AbortSignal },
    job: (tx: Repositories) => Promise<T>,
  ): Promise<T>;
  /** Called after each commit that wrote events (and, on PostgreSQL, when another process did). Returns the unsubscribe. */
  onEvents(listener: () => void): () => void;
  /**
   * Called after each commit that changed what a credential may do (a key revoked, an account frozen, a role changed), in every
   * process, before the writer is answered in its own. Returns the unsubscribe.
   */
  onCredentials(listener: () => void): () => void;
  /**
   * Calls the listeners of onCredentials now where another process wrote without telling this one: on SQLite the command line beside the
   * service. Whoever keeps credentials asks at each look-up; it looks at the file 20 times a second at most (docs/decisions/1011).
   */
  pollForeignCommits(): void;
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
  bindIdentity(onMoved: (tx: Repositories) => Promise<void>): Promise<boolean>;
  /**
   * Throws where the database does not answer, or where a newer program has migrated it: from then on `write` and `exclusively` refuse, too,
   * until a ping finds it otherwise.
   */
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
