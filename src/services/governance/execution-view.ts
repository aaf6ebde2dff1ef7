/** How far the execution of a proposal has come: derived from its attempts and their payments each time. */
import { executionWindow } from '../../core/governance/execution-window.ts';
import type { Txid } from '../../core/outpoint.ts';
import type { ExecutionRecord } from '../../store/repositories/executions.ts';
import type { ProposalRecord } from '../../store/repositories/proposals.ts';
import type { Repositories } from '../../store/store.ts';
import { isUnsettled } from '../transactions/transaction-states.ts';

type Read = Pick<Repositories, 'executions' | 'transactions' | 'approvals'>;
type Payment = NonNullable<Awaited<ReturnType<Read['transactions']['findShown']>>>;

export const EXECUTION_STATUSES = [
  ...(['waiting_timelock', 'ready', 'awaiting_approval', 'executed', 'failed', 'expired', 'cancelled'] as const),
] as const;

export interface Execution {
  readonly status: (typeof EXECUTION_STATUSES)[number];
  /** Of the payment. */
  readonly txid: Txid | null;
  readonly reason: string | null;
  /** Epoch milliseconds; null of what was cancelled. */
  readonly from: number | null;
  readonly until: number | null;
}

export interface ExecutedProposal extends ProposalRecord {
  /** null: it is active, or was rejected. */
  readonly execution: Execution | null;
  readonly executedAt: number | null;
}

interface Attempt extends ExecutionRecord {
  /** Nothing replaces it but the next attempt: what else takes its coins is no payment of the proposal. */
  readonly payment: Payment | null;
}

export async function attemptsOf(tx: Read, { accountId, proposalId }: ProposalRecord): Promise<Attempt[]> {
  const attempts: Attempt[] = [];
  for (const record of await tx.executions.of(accountId, proposalId))
    attempts.push({ ...record, payment: record.txid && (await tx.transactions.findShown(accountId, record.txid)) });
  return attempts;
}

/** The most that an attempt can have come to stands first. */
const CAME_TO = ['confirmed', 'broadcast', 'signed', 'awaiting_signature', 'awaiting_approval'] as const;

function furthest(attempts: readonly Attempt[]): Attempt | undefined {
  const applied = attempts.find(({ txid, executedAt }) => txid === null && executedAt !== null);
  const of = (status: string) => attempts.findLast(({ payment }) => payment?.status === status);
  return applied ?? CAME_TO.map(of).find((attempt) => attempt !== undefined);
}

const newest = (attempts: readonly Attempt[]): Attempt | undefined =>
  attempts.toSorted((one, other) => one.createdAt - other.createdAt).at(-1);

/** `now`: epoch milliseconds, of the DAO. */
export async function withExecution(tx: Read, proposal: ProposalRecord, now: number): Promise<ExecutedProposal> {
  const { accountId, proposalId, status, cancelledAt, cancelReason: reason, expiresAt, settings } = proposal;
  if (cancelledAt !== null) {
    const execution = { status: 'cancelled', txid: null, reason, from: null, until: null } as const;
    return { ...proposal, execution, executedAt: null };
  }
  if (status !== 'passed') return { ...proposal, execution: null, executedAt: null };
  const attempts = await attemptsOf(tx, proposal);
  const window = executionWindow(expiresAt, settings);
  const at = (state: Execution['status'], more: Partial<Execution> = {}, executedAt: number | null = null) => ({
    ...{ ...proposal, executedAt },
    execution: { status: state, txid: null, reason: null, ...window, ...more },
  });
  const attempt = furthest(attempts);
  if (attempt !== undefined) {
    const { payment, executedAt, createdAt } = attempt;
    const txid = payment?.txid ?? null;
    const waits = payment !== null && isUnsettled(payment.status) && payment.status.startsWith('awaiting');
    return waits ? at('awaiting_approval', { txid }) : at('executed', { txid }, executedAt ?? createdAt);
  }
  const failed = newest(attempts);
  const failure = failed && { txid: failed.payment?.txid ?? null, reason: failed.payment?.reason ?? failed.reason };
  if (now < window.from) return at('waiting_timelock');
  if ((await tx.approvals.heldAbout(accountId, proposalId)).length > 0) return at('awaiting_approval');
  if (now >= window.until) return at('expired', failure);
  return failure === undefined ? at('ready') : at('failed', failure);
}
