import { DomainError, type DomainErrorCode } from '../../core/errors.ts';
import type { Requirement, SpendingOperation } from '../../core/policies/policy.ts';
import type { ApprovalRecord } from '../../store/repositories/approvals.ts';
import type { Repositories } from '../../store/store.ts';
import type { AskerAccess } from './asked-by.ts';

/** What waits for an approval. */
export interface ApprovalSubject {
  /**
   * First in a job that votes on it or lets it expire, before the approval's row is locked: locks what waits. Blocks, replacements and the
   * contract driver lock in this order, too; in the other one, PostgreSQL would end one of two jobs as a deadlock.
   */
  hold?(tx: Repositories, approval: ApprovalRecord): Promise<unknown>;
  /** Resolves as soon as it is known how it is carried out: approvals of before a start go on while the service opens. */
  ready?(): Promise<unknown>;
  /** What whoever asked needed for it: judged again, as the rules are, with the last vote and before it is carried out. */
  accessOf(approval: Pick<ApprovalRecord, 'operation' | 'requestOf'>): AskerAccess;
  /** In a job that holds it: why the rules, asked again, deny it; else the approvals that they want by now. */
  askAgain(
    tx: Repositories,
    approval: ApprovalRecord,
    now: number,
  ): Promise<{ readonly denied: string | null; readonly requirements: readonly Requirement[] }>;
  /** In the job that closes it without approval: it is given up. */
  ended(tx: Repositories, approval: ApprovalRecord, reason: string, now: number): Promise<void>;
  /**
   * Does what was approved, after the job that says so. Run again where it was interrupted, in one process at a time: its effect is written
   * in one job with `tx.approvals.done`, which, where it moves coins, begins with `judge`. Throws where it is to be tried again; ends with
   * `tx.approvals.fail` where that is of no use.
   */
  carryOut(approval: ApprovalRecord, signal: AbortSignal, judge: Judge): Promise<void>;
}

/** First in a job: whoever asked and the rules, as they are by now. Throws `policy_denied` where it may no longer be done. */
export type Judge = (tx: Repositories) => Promise<void>;

const LATER: readonly DomainErrorCode[] = ['unavailable', 'node_unavailable', 'node_syncing'];

/** What is thrown while it is carried out, and no later try gets over: it is given up. */
export const isFinal = (error: unknown): error is DomainError =>
  error instanceof DomainError && !LATER.includes(error.code);

export type SubjectOf = (approval: Pick<ApprovalRecord, 'operation' | 'requestOf'>) => ApprovalSubject;

/** Waits as a record of its own. */
export interface RecordSubject extends ApprovalSubject {
  /** As rules name them, which approvals are of such records; with the ids of the operations that ask for each. */
  readonly operations: Readonly<Partial<Record<SpendingOperation, readonly string[]>>>;
}

/** `held`: of every request that is kept with its approval. */
export function createSubjectOf(held: ApprovalSubject, records: readonly RecordSubject[]): SubjectOf {
  const byOperation = new Map<string, ApprovalSubject>(
    records.flatMap((subject) => Object.keys(subject.operations).map((operation) => [operation, subject] as const)),
  );
  return ({ requestOf, operation }) => {
    const subject = requestOf === null ? byOperation.get(operation) : held;
    if (subject === undefined) throw new Error(`nothing says how to carry out an approved ${operation}`);
    return subject;
  };
}
