/** Operations whose requests may wait for approval, and how they are performed: at once, or when they were approved. */
import { canonicalSteps } from '../../core/audit-log/canonical-json.ts';
import { DomainError } from '../../core/errors.ts';
import type { AccountId } from '../../core/ids.ts';
import type { ApprovalText } from '../../core/policies/approval-text.ts';
import type { Requirement } from '../../core/policies/policy.ts';
import { inSlices } from '../../scheduling/in-slices.ts';
import type { ApprovalRecord, OpenApproval } from '../../store/repositories/approvals.ts';
import type { Repositories } from '../../store/store.ts';
import type { Looking, Passed } from '../policies/gate.ts';
import type { Asked } from '../policies/spending-of.ts';
import { updateAnswer } from '../requests/idempotency.ts';
import { type RequestEffect, recordRequest } from '../requests/record-request.ts';
import type { RequestContext } from '../requests/request-context.ts';
import type { Judge } from './approval-subject.ts';
import type { AskerAccess } from './asked-by.ts';
import type { DeclaredAccess } from './declared-access.ts';

/** How a request is performed: at once, or after approval. */
export interface Doing {
  readonly accountId: AccountId;
  readonly passed: Passed;
  readonly signal: AbortSignal;
  /** What was approved: nothing else may be signed. null if no approval was required. */
  readonly approved: ApprovalText['signs'] | null;
  /** Called first in the job that writes what cannot be undone: it moves coins, commits an outcome, or keeps what was signed. */
  readonly judge: Judge;
  /** Called once, in the job that writes the effect: both are committed, or neither. */
  record(tx: Repositories, effect: RequestEffect): Promise<void>;
  /** In a later job: replaces the recorded response by what has become of it since. */
  amend(tx: Repositories, result: unknown): Promise<void>;
}

/** For a request that needs no approval. */
export const atOnce = (context: RequestContext): Omit<Doing, 'passed' | 'judge'> => ({
  ...{ accountId: context.accountId, signal: context.signal, approved: null },
  record: (tx, effect) => recordRequest(tx, context, effect),
  amend: (tx, result) => updateAnswer(tx, context, result),
});

/** Objects of a text that are written in one turn of the event loop. */
const AT_ONCE = 200;

export const canonicalText = (signs: ApprovalText['signs']): Promise<string> =>
  inSlices(canonicalSteps(signs), AT_ONCE);

/** Throws `state_conflict` if what would be signed is not what was approved. */
export async function requireApproved(
  { approved }: Pick<Doing, 'approved'>,
  signs: ApprovalText['signs'],
): Promise<void> {
  if (approved === null || (await canonicalText(signs)) === (await canonicalText(approved))) return;
  throw new DomainError('state_conflict', 'what would be signed now is not what was approved: ask for it again');
}

/** How it is carried out after the last vote. */
export interface KeptOperation<Request, Result> {
  /** The id of the operation that requests it. */
  readonly id: string;
  /** The rights that it requires: checked again before it is carried out, and for reading the result. */
  readonly access: AskerAccess;
  /** Only the initiator's credential can read the result, which is erased after a day. */
  readonly secret?: true;
  /** The current requirements, if they do not come from the account's rules. */
  requirementsNow?(tx: Repositories, approval: OpenApproval): Promise<readonly Requirement[]>;
  /** What the rules evaluate again. Throws if it can no longer be carried out, whoever approves it. */
  lookAgain?(tx: Repositories, approval: OpenApproval): Promise<Looking>;
  /** As ApprovalSubject's, if the subject has a record. */
  hold?(tx: Repositories, approval: Pick<ApprovalRecord, 'accountId' | 'subject'>): Promise<unknown>;
  /** Checks everything that may have changed since the request, and ends with `doing.record`. `ready`: what `describe` made, if it has just run. */
  run(request: Request, doing: Doing, ready?: unknown): Promise<Result>;
}

/** An operation for which rules may require approvals: its declaration names it in `spends`. */
export interface HeldOperation<Request, Result, Ready = unknown> extends KeptOperation<Request, Result> {
  /** What the rules evaluate, and the complete text that is approved. Rejects invalid requests, before rules and approvers see them. */
  describe(request: Request, accountId: AccountId, signal: AbortSignal): Promise<Described<Ready>>;
  run(request: Request, doing: Doing, ready?: Ready): Promise<Result>;
}

interface Described<Ready> {
  readonly asked: Asked;
  readonly looking?: Looking;
  readonly subject: string;
  /** A function if it takes long: called only if the request waits; it may reject the request. */
  readonly signs: ApprovalText['signs'] | (() => Promise<ApprovalText['signs']>);
  readonly ready?: Ready;
}

// biome-ignore lint/suspicious/noExplicitAny: requests and results of all operations; each is typed where it is registered
export type AnyHeld = KeptOperation<any, any>;

/** The part of an operation's declaration that held requests use: its access, and how its response is written. */
export interface DeclaredOperation extends DeclaredAccess {
  present(result: unknown): unknown;
}
