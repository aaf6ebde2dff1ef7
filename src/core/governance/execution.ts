/** How far the execution of a proposal has come. */
import type { ApprovalId } from '../ids.ts';
import type { Txid } from '../outpoint.ts';

export const EXECUTION_STATUSES = [
  ...(['waiting_timelock', 'ready', 'awaiting_approval', 'executed', 'failed', 'expired', 'cancelled'] as const),
] as const;
export type ExecutionStatus = (typeof EXECUTION_STATUSES)[number];

/** JSON. */
export interface Execution {
  readonly status: ExecutionStatus;
  /** Of the payment. */
  readonly txid: Txid | null;
  /** What it waits, or waited, for. */
  readonly approvalId: ApprovalId | null;
  readonly reason: string | null;
  /** Epoch milliseconds; null of what was cancelled. */
  readonly from: number | null;
  readonly until: number | null;
}

/** When time alone makes it another; null: it does not. */
export function changesAt({ status, from, until }: Execution): number | null {
  if (status === 'waiting_timelock') return from;
  return status === 'ready' || status === 'failed' ? until : null;
}
