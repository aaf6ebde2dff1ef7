import { DomainError, type DomainErrorCode } from '../../core/errors.ts';
import type { Requirement, SpendingOperation } from '../../core/policies/policy.ts';
import type { ApprovalRecord, ListedApproval, OpenApproval } from '../../store/repositories/approvals.ts';
import type { Repositories } from '../../store/store.ts';
import type { AskerAccess } from './asked-by.ts';

/** What an approval is about: how it is locked, evaluated again, carried out or ended. */
export interface ApprovalSubject {
  /**
   * Locks the waiting record, in jobs that vote or expire, before the approval's row is locked. Blocks, replacements and the contract driver
   * lock in the same order; in another one, PostgreSQL would abort one of two jobs as a deadlock.
   */
  hold?(tx: Repositories, approval: ListedApproval): Promise<unknown>;
  /** Resolves once it can be carried out: approvals from before a restart continue while the service starts. */
  ready?(): Promise<unknown>;
  /** The rights that the request required: checked again, like the rules, with the last vote and before it is carried out. */
  accessOf(approval: Pick<ApprovalRecord, 'operation' | 'requestOf'>): AskerAccess;
  /** In a job that has locked it: evaluates the rules again. `denied`: the reason, or null; `requirements`: those of the current rules. */
  askAgain(
    tx: Repositories,
    approval: OpenApproval,
    now: number,
  ): Promise<{ readonly denied: string | null; readonly requirements: readonly Requirement[] }>;
  /** In the job that closes it without approval: ends what waits. */
  ended(tx: Repositories, approval: OpenApproval, reason: string, now: number): Promise<void>;
  /**
   * Does what was approved, after the job that says so, for an account that is not frozen. Run again where it was interrupted, in one
   * process at a time: its effect is written
   * in one job with `tx.approvals.done`, which, where it moves coins, begins with `judge`. Throws where it is to be tried again; ends with
   * `tx.approvals.fail` where that is of no use.
   */
  carryOut(approval: ApprovalRecord, signal: AbortSignal, judge: Judge): Promise<void>;
}

/** First in a job: checks the initiator's rights and the current rules. Throws `policy_denied` if it may no longer be carried out, AccountFrozen until it may. */
export type Judge = (tx: Repositories) => Promise<void>;

/** Thrown by a Judge: it goes on when the account is no longer frozen. */
export class AccountFrozen extends Error {}

const LATER: readonly DomainErrorCode[] = ['unavailable', 'node_unavailable', 'node_syncing'];

/** An error that no retry can resolve: the approval fails. */
export const isFinal = (error: unknown): error is DomainError =>
  error instanceof DomainError && !LATER.includes(error.code);

export type SubjectOf = (approval: Pick<ApprovalRecord, 'operation' | 'requestOf'>) => ApprovalSubject;

/** The subject of approvals for which a record of its own waits: a payment, a contract. */
export interface RecordSubject extends ApprovalSubject {
  /** The kinds of operations, by their names in rules, that wait as such records, with the ids of the operations that request each. */
  readonly operations: Readonly<Partial<Record<SpendingOperation, readonly string[]>>>;
}

/** `held`: the subject of all requests that are stored with their approval. */
export function createSubjectOf(held: ApprovalSubject, records: readonly RecordSubject[]): SubjectOf {
  const byOperation = new Map<string, ApprovalSubject>(
    records.flatMap((subject) => Object.keys(subject.operations).map((operation) => [operation, subject] as const)),
  );
  return ({ requestOf, operation }) => {
    const subject = requestOf === null ? byOperation.get(operation) : held;
    if (subject === undefined) throw new Error(`no subject carries out an approved ${operation}`);
    return subject;
  };
}
