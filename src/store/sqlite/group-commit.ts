/**
 * The one writer. Jobs that wait together run one after another in one transaction, each in a savepoint of its own, and share its
 * COMMIT, which is where the time goes (one fsync). A job that throws rolls back alone; none hears anything before COMMIT returned.
 */
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { DomainError } from '../../core/errors.ts';
import { createYielder } from '../../scheduling/yielder.ts';
import {
  createSession,
  decisionsAmong,
  movesAmong,
  type Rows,
  type Session,
  type Statement,
  type Topic,
} from '../queries/session.ts';
import type { ContractMove } from '../repositories/contract-rows.ts';
import type { SqliteConnection } from './connection.ts';
import { asDomainError, isBusy } from './errors.ts';

/** A batch takes no further job after this many, or after this long: readers and sockets want the event loop too. */
const MAX_JOBS = 128;
const MAX_BATCH_MS = 20;
/** A batch waits for further jobs until so many turns of the event loop in a row have brought none and computed nothing, or so long. */
const QUIET_TURNS = 2;
const MAX_GATHER_MS = 25;
/** A turn in which others computed for longer: what they compute may end with a job. */
const BUSY_TURN_MS = 0.2;
/** After so long the next statement waits for a turn of the event loop: a long job holds the writer, and nobody else. */
const MAX_TURN_MS = 5;
/** How long the lock is waited for while another process has it, and how often it is looked for. */
const BUSY_MS = 5_000;
const BUSY_LOOK_MS = 10;

interface Job {
  /** Runs inside its savepoint. */
  run(session: Session): Promise<void>;
  /** Answers the caller, once the outcome is certain. */
  settle(failure: { error: unknown } | null): void;
}

interface Settled {
  readonly job: Job;
  failure: { error: unknown } | null;
  readonly noted: Set<Topic>;
}

export interface GroupCommitOptions {
  readonly connection: SqliteConnection;
  /** Called after each COMMIT, before those who wrote hear of it. */
  readonly onCommit?: () => void;
  /** Called after a COMMIT that changed credentials, before those who wrote hear of it. */
  readonly onCredentials?: () => void;
  /** Called after a COMMIT that decided something for good, before those who did hear of it; where it throws, they hear that instead. */
  readonly onDecisions?: (numbers: readonly number[]) => void;
  /** Runs before the COMMIT of jobs that wrote events, in their transaction. */
  readonly numberEvents?: (session: Session) => Promise<void>;
  /** Called after a COMMIT that wrote events. */
  readonly onEvents: () => void;
  /** Called after a COMMIT for each move of a contract in it. */
  readonly onMove?: (move: ContractMove) => void;
  /** Called after a COMMIT that appended to the audit log. */
  readonly onAudit?: () => void;
  /** 1 gives every job a COMMIT of its own. */
  readonly maxJobs?: number;
  /** Milliseconds after which a batch takes no further job. */
  readonly maxBatchMs?: number;
  /** Milliseconds that a batch waits for jobs while others compute, or come turn after turn. */
  readonly maxGatherMs?: number;
  /** Milliseconds of a turn in which others computed. */
  readonly busyTurnMs?: number;
  /** How long another process may have the lock before those who wait are refused. */
  readonly busyMs?: number;
}

export function createGroupCommit(options: GroupCommitOptions) {
  const { connection, onCommit, onCredentials, onDecisions, numberEvents, onEvents, onMove, onAudit } = options;
  const { maxJobs = MAX_JOBS, maxBatchMs = MAX_BATCH_MS, maxGatherMs = MAX_GATHER_MS, busyMs = BUSY_MS } = options;
  const { busyTurnMs = BUSY_TURN_MS } = options;
  const { database } = connection;
  const waiting: Job[] = [];
  let underWay = 0;
  let draining: Promise<void> | null = null;
  let closed = false;
  let pause = createYielder(MAX_TURN_MS);

  /** The writer's transaction stays open over turns; nothing but its jobs uses this connection. */
  async function execute(statement: Statement): Promise<Rows<never>> {
    await pause();
    return connection.run(statement);
  }

  /** Runs a job in a savepoint. Throws only where the whole transaction is lost. */
  async function runInSavepoint(job: Job, ownNotes: Set<Topic>): Promise<{ error: unknown } | null> {
    const session = createSession('sqlite', execute, (topic) => ownNotes.add(topic));
    database.exec('SAVEPOINT job');
    try {
      await job.run(session);
      session.close();
      database.exec('RELEASE job');
      return null;
    } catch (error) {
      session.close();
      // A full disk or an I/O error makes SQLite roll back everything by itself.
      if (!database.isTransaction) throw error;
      database.exec('ROLLBACK TO job');
      database.exec('RELEASE job');
      return { error: asDomainError(error) };
    }
  }

  /** A disk that fails may fail this, too; the transaction is over all the same, and the writer goes on. */
  function rollBack(): void {
    try {
      if (database.isTransaction) database.exec('ROLLBACK');
    } catch {
      // Those who wait are told why the transaction failed.
    }
  }

  /** Another process may hold the lock; the loop goes on meanwhile, which it would not within SQLite's own waiting. */
  async function begin(): Promise<void> {
    const until = performance.now() + busyMs;
    for (;;) {
      try {
        return database.exec('BEGIN IMMEDIATE');
      } catch (error) {
        if (!isBusy(error) || performance.now() > until) throw error;
      }
      await sleep(BUSY_LOOK_MS);
    }
  }

  async function runBatch(): Promise<void> {
    const settled: Settled[] = [];
    let noted: ReadonlySet<Topic>;
    try {
      await begin();
      const started = performance.now();
      pause = createYielder(MAX_TURN_MS);
      while (waiting.length > 0 && settled.length < maxJobs && performance.now() - started < maxBatchMs) {
        const job = waiting.shift()!;
        underWay++;
        const entry: Settled = { job, failure: null, noted: new Set() };
        settled.push(entry);
        entry.failure = await runInSavepoint(job, entry.noted);
      }
      noted = new Set(settled.flatMap((entry) => (entry.failure ? [] : [...entry.noted])));
      if (noted.has('events')) await numberEvents?.(createSession('sqlite', execute));
      database.exec('COMMIT');
    } catch (error) {
      rollBack();
      const failure = { error: asDomainError(error) };
      // BEGIN itself failed: nothing was taken, and whoever waited longest must not wait for ever.
      const lost = settled.length > 0 ? settled.map(({ job }) => job) : waiting.splice(0, maxJobs);
      underWay = 0;
      for (const job of lost) job.settle(failure);
      return;
    }
    underWay = 0;
    onCommit?.();
    tellDecisions(settled, decisionsAmong(noted));
    if (noted.has('credentials')) onCredentials?.();
    for (const { job, failure } of settled) job.settle(failure);
    for (const move of movesAmong(noted)) onMove?.(move);
    if (noted.has('events')) onEvents();
    if (noted.has('audit')) onAudit?.();
  }

  function tellDecisions(settled: readonly Settled[], numbers: readonly number[]): void {
    if (numbers.length === 0) return;
    try {
      onDecisions?.(numbers);
    } catch (error) {
      for (const entry of settled) if (decisionsAmong(entry.noted).length > 0) entry.failure ??= { error };
    }
  }

  /**
   * Callers that were just answered, and those that come in meanwhile, join the next batch. A turn that brings none may only have been too
   * early for who computes, a payment that is signed, say: a COMMIT between any two would cost more than what they compute. Where the event
   * loop has nothing else to do nobody waits.
   */
  async function gather(): Promise<void> {
    let now = performance.now();
    const until = now + maxGatherMs;
    let quiet = 0;
    do {
      const [known, began] = [waiting.length, now];
      await nextTurn();
      now = performance.now();
      quiet = waiting.length > known || now - began > busyTurnMs ? 0 : quiet + 1;
    } while (quiet < QUIET_TURNS && waiting.length < maxJobs && now < until);
  }

  async function drain(): Promise<void> {
    while (waiting.length > 0) {
      await gather();
      await runBatch();
    }
    draining = null;
  }

  return {
    write<T>(work: (session: Session) => Promise<T>): Promise<T> {
      if (closed) return Promise.reject(new DomainError('unavailable', 'the service is stopping'));
      return new Promise<T>((resolve, reject) => {
        let value: T;
        waiting.push({
          run: async (session) => {
            value = await work(session);
          },
          settle: (failure) => (failure ? reject(failure.error) : resolve(value)),
        });
        draining ??= drain();
      });
    },
    /** Jobs waiting or under way. */
    depth: () => waiting.length + underWay,
    /** Refuses new jobs, finishes those that wait. */
    close: async () => {
      closed = true;
      await draining;
    },
  };
}

export type GroupCommit = ReturnType<typeof createGroupCommit>;
