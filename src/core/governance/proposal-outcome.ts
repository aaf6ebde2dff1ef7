/** How a proposal ends. */
import type { Parameters } from './parameters.ts';

export const PROPOSAL_STATUSES = ['active', 'passed', 'rejected'] as const;
export type ProposalStatus = (typeof PROPOSAL_STATUSES)[number];

export interface Poll {
  readonly settings: Pick<Parameters, 'quorum_percent' | 'threshold_percent'>;
  /** Whole tokens, as the votes: what all holders had at the snapshot. */
  readonly totalPower: bigint;
  readonly votesFor: bigint;
  readonly votesAgainst: bigint;
}

/** Enough have voted, and above the threshold for it. Where nobody has power nothing passes. */
export function outcomeOf({ settings, totalPower, votesFor, votesAgainst }: Poll): Exclude<ProposalStatus, 'active'> {
  const cast = votesFor + votesAgainst;
  const [quorum, threshold] = [BigInt(settings.quorum_percent), BigInt(settings.threshold_percent)];
  return totalPower > 0n && 100n * cast >= quorum * totalPower && 100n * votesFor > threshold * cast
    ? 'passed'
    : 'rejected';
}

/** When voting ends that begins now: to the millisecond, and at least one later. */
export const votingEnd = (now: number, { voting_period_hours: hours }: Pick<Parameters, 'voting_period_hours'>) =>
  now + Math.max(1, Math.round(hours * 3_600_000));
