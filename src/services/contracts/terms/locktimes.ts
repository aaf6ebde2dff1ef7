/** Locktimes of a contract: both heights, or both Unix seconds, which count by the median time of eleven blocks (BIP113). */
import { DomainError } from '../../../core/errors.ts';

/** As in consensus: below it a locktime is a height. */
const LOCKTIME_THRESHOLD = 500_000_000;
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
 * What was asked for, else CETs at once and the refund well after the event: thirty days, or with a remote counterparty (`unix`: by time
 * unless a height is asked for) ten. Throws `invalid_value` (cet_locktime, refund_locktime).
 */
export function contractLocktimes(
  asked: { readonly cetLocktime?: number | undefined; readonly refundLocktime?: number | undefined },
  now: ContractTimes,
  unix: boolean,
): Locktimes {
  const cetLocktime = asked.cetLocktime ?? 0;
  const refundLocktime = asked.refundLocktime ?? defaultRefund(cetLocktime, now, unix);
  if (cetLocktime > 0 && isTime(cetLocktime) !== isTime(refundLocktime)) {
    throw new DomainError(
      'invalid_value',
      'cet_locktime and refund_locktime must both be heights (below 500000000) or both Unix seconds',
      { field: asked.cetLocktime === undefined ? 'refund_locktime' : 'cet_locktime' },
    );
  }
  if (refundLocktime <= cetLocktime) {
    throw new DomainError('invalid_value', `refund_locktime must be above cet_locktime (${cetLocktime})`, {
      field: 'refund_locktime',
    });
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
  return { cetLocktime, refundLocktime };
}

function defaultRefund(cetLocktime: number, now: ContractTimes, unix: boolean): number {
  const due = Math.max(now.unixSeconds, now.maturityEpoch);
  if (cetLocktime === 0 ? unix : isTime(cetLocktime)) {
    const after = unix ? REMOTE_REFUND_AFTER_SECONDS : REFUND_AFTER_BLOCKS * BLOCK_SECONDS;
    return Math.min(Math.max(due, cetLocktime) + after, MAX_LOCKTIME);
  }
  const dueHeight = now.height + Math.ceil((due - now.unixSeconds) / BLOCK_SECONDS);
  return Math.min(Math.max(dueHeight, cetLocktime) + REFUND_AFTER_BLOCKS, LOCKTIME_THRESHOLD - 1);
}

export const isTime = (locktime: number): boolean => locktime >= LOCKTIME_THRESHOLD;

/** Whether a transaction with this locktime may be in the next block. */
export const isFinal = (locktime: number, tip: ChainPoint): boolean =>
  locktime === 0 || (isTime(locktime) ? locktime < tip.medianTime : locktime <= tip.height);
