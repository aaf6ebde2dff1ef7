/** How far the execution of a proposal has come: derived from its attempts and their payments each time. */
import type { Execution } from '../../core/governance/execution.ts';
import { executionWindow } from '../../core/governance/execution-window.ts';
import type { ExecutionRecord } from '../../store/repositories/executions.ts';
import type { ProposalRecord } from '../../store/repositories/proposals.ts';
import type { Repositories } from '../../store/store.ts';
import { isUnsettled } from '../transactions/transaction-states.ts';

type Read = Pick<Repositories, 'executions' | 'transactions' | 'approvals'>;
type Payment = NonNullable<Awaited<ReturnType<Read['transactions']['findShown']>>>;

interface Attempt extends ExecutionRecord {
  /** Nothing replaces it but the next attempt: what else takes its coins is no payment of the proposal. */
  readonly payment: Payment | null;
}

export async function attemptsOf(
  tx: Read,
  { accountId, proposalId }: Pick<ProposalRecord, 'accountId' | 'proposalId'>,
): Promise<Attempt[]> {
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

type Executing = Pick<
  ProposalRecord,
  'accountId' | 'proposalId' | 'status' | 'cancelledAt' | 'cancelReason' | 'expiresAt' | 'settings'
>;

/** `now`: epoch milliseconds, of the DAO. `approved`: what waits for approval about it is being carried out. */
export async function withExecution<P extends Executing>(
  tx: Read,
  proposal: P,
  now: number,
  approved = false,
): Promise<P & Pick<ProposalRecord, 'execution' | 'executedAt'>> {
  const { accountId, proposalId, status, cancelledAt, cancelReason: reason, expiresAt, settings } = proposal;
  const nothing = { txid: null, approvalId: null, reason: null };
  if (cancelledAt !== null) {
    const execution = { ...nothing, status: 'cancelled', reason, from: null, until: null } as const;
    return { ...proposal, execution, executedAt: null };
  }
  if (status !== 'passed') return { ...proposal, execution: null, executedAt: null };
  const attempts = await attemptsOf(tx, proposal);
  const window = executionWindow(expiresAt, settings);
  const at = (state: Execution['status'], more: Partial<Execution> = {}, executedAt: number | null = null) => ({
    ...proposal,
    executedAt,
    execution: { ...nothing, status: state, ...window, ...more },
  });
  const attempt = furthest(attempts);
  const held = await tx.approvals.notGivenUp(accountId, { subject: proposalId, requestOf: 'dao.execute' });
  if (attempt !== undefined) {
    const { payment, executedAt, createdAt } = attempt;
    const of = {
      txid: payment?.txid ?? null,
      approvalId: payment?.approvalId ?? held.find(({ isDone }) => isDone)?.approvalId ?? null,
    };
    const waits = payment !== null && isUnsettled(payment.status) && payment.status.startsWith('awaiting');
    return waits ? at('awaiting_approval', of) : at('executed', of, executedAt ?? createdAt);
  }
  const failed = newest(attempts);
  const failure = failed && {
    txid: failed.payment?.txid ?? null,
    approvalId: failed.payment?.approvalId ?? null,
    reason: failed.payment?.reason ?? failed.reason,
  };
  if (now < window.from) return at('waiting_timelock');
  const waiting = approved ? undefined : held.find(({ isDone }) => !isDone);
  if (waiting !== undefined) return at('awaiting_approval', { approvalId: waiting.approvalId });
  if (now >= window.until) return at('expired', failure);
  return failure === undefined ? at('ready') : at('failed', failure);
}
