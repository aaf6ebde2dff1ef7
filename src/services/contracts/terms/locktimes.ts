/** Locktimes of a contract: both heights, or both Unix seconds, which count by the median time of eleven blocks (BIP113). */
import { leastGap, leastGapText, MIN_TIME } from '../../../core/dlc/refund-gap.ts';
import { DomainError } from '../../../core/errors.ts';

/** About thirty days. */
const REFUND_AFTER_BLOCKS = 4_320;
const BLOCK_SECONDS = 600;
/** dlcdevkit takes offers whose refund is 7 to 14 days after the event. */
const REMOTE_REFUND_AFTER_SECONDS = 10 * 86_400;
const MAX_LOCKTIME = 0xffff_ffff;

export interface ChainPoint {
  readonly height: number;
  /** Median time past of that block, Unix seconds. */
  readonly medianTime: number;
}

export interface Locktimes {
  readonly cetLocktime: number;
  readonly refundLocktime: number;
}

/** The moment, and when the last of the events is due (Unix seconds both). */
export interface ContractTimes extends ChainPoint {
  readonly unixSeconds: number;
  readonly maturityEpoch: number;
}

/**
 * What was asked for, else CETs at once and the refund well after the event: thirty days, or with a `remote` counterparty ten (by time
 * unless a height is asked for). Throws `invalid_value` (cet_locktime, refund_locktime).
 */
export function contractLocktimes(
  asked: { readonly cetLocktime?: number | undefined; readonly refundLocktime?: number | undefined },
  now: ContractTimes,
  remote: boolean,
): Locktimes {
  const cetLocktime = asked.cetLocktime ?? 0;
  const refundLocktime = asked.refundLocktime ?? defaultRefund(cetLocktime, now, remote);
  if (cetLocktime > 0 && isTime(cetLocktime) !== isTime(refundLocktime)) {
    throw new DomainError(
      'invalid_value',
      'cet_locktime and refund_locktime must both be heights (below 500000000) or both Unix seconds',
      { field: asked.cetLocktime === undefined ? 'refund_locktime' : 'cet_locktime' },
    );
  }
  if (isFinal(refundLocktime, now)) {
    throw new DomainError(
      'invalid_value',
      isTime(refundLocktime)
        ? `refund_locktime is past: the chain's median time is ${now.medianTime}`
        : `refund_locktime is past: the chain is at ${now.height}`,
      { field: 'refund_locktime' },
    );
  }
  // One holder is on both sides, and nobody wins by being late.
  if (!remote) {
    if (refundLocktime > cetLocktime) return { cetLocktime, refundLocktime };
    throw new DomainError('invalid_value', `refund_locktime must be above cet_locktime (${cetLocktime})`, {
      field: 'refund_locktime',
    });
  }
  const due = Math.max(now.unixSeconds, now.maturityEpoch);
  if (isTime(refundLocktime) && refundLocktime <= due) {
    throw new DomainError(
      'invalid_value',
      `refund_locktime must be after ${due}, when the event is due: else the refund could be broadcast before the attestation`,
      { field: 'refund_locktime' },
    );
  }
  refuseNarrow(cetLocktime, refundLocktime, asked.refundLocktime !== undefined);
  return { cetLocktime, refundLocktime };
}

/** A CET that is open only when the refund is, or hardly before, decides nothing. 0 locks nothing. */
function refuseNarrow(cetLocktime: number, refundLocktime: number, refundAsked: boolean): void {
  const gap = leastGap(refundLocktime);
  if (cetLocktime === 0 || refundLocktime - cetLocktime >= gap) return;
  const most = (isTime(refundLocktime) ? MAX_LOCKTIME : MIN_TIME - 1) - gap;
  const [field, bound] =
    refundAsked && cetLocktime <= most
      ? ['refund_locktime', `at least ${cetLocktime + gap}`]
      : ['cet_locktime', `at most ${most}`];
  throw new DomainError(
    'invalid_value',
    `${field} must be ${bound}: the refund opens ${leastGapText(refundLocktime)} after the CETs or later, so that a CET has time to confirm before it`,
    { field },
  );
}

function defaultRefund(cetLocktime: number, now: ContractTimes, unix: boolean): number {
  const due = Math.max(now.unixSeconds, now.maturityEpoch);
  if (cetLocktime === 0 ? unix : isTime(cetLocktime)) {
    const after = unix ? REMOTE_REFUND_AFTER_SECONDS : REFUND_AFTER_BLOCKS * BLOCK_SECONDS;
    return Math.min(Math.max(due, cetLocktime) + after, MAX_LOCKTIME);
  }
  const dueHeight = now.height + Math.ceil((due - now.unixSeconds) / BLOCK_SECONDS);
  return Math.min(Math.max(dueHeight, cetLocktime) + REFUND_AFTER_BLOCKS, MIN_TIME - 1);
}

export const isTime = (locktime: number): boolean => locktime >= MIN_TIME;

/** Whether a transaction with this locktime may be in the next block. */
export const isFinal = (locktime: number, tip: ChainPoint): boolean =>
  locktime === 0 || (isTime(locktime) ? locktime < tip.medianTime : locktime <= tip.height);
