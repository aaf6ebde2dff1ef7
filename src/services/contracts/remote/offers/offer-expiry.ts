/** How long the other side's answer is waited for: an offer for its acceptance, an acceptance for its signatures. */
import { maturitiesOf } from '../../../../core/dlc/contract/checks/check-locktimes.ts';
import type { OfferMessage } from '../../../../core/dlc/dlc-messages.ts';
import { MIN_TIME } from '../../../../core/dlc/refund-gap.ts';
import { DomainError } from '../../../../core/errors.ts';

const DAY_MS = 86_400_000;
const MAX_MS = 7 * DAY_MS;
const SOON_MS = 3_600_000;
const BLOCK_MS = 600_000;

/** Epoch milliseconds, and the height of the chain. */
export interface Moment {
  readonly now: number;
  readonly height: number;
}

/**
 * Seven days; less where the outcome may be known before (the first of the events that are still to come), or where the refund would open
 * within a day (its height counted in blocks of ten minutes). What is over, or will be in an hour, bounds nothing: many events are due when
 * they are announced, and clocks differ. The refund's opening and an attestation end it in any case.
 */
function latestExpiry(offer: Pick<OfferMessage, 'contractInfo' | 'refundLocktime'>, moment: Moment): number {
  const bounds = [
    ...maturitiesOf(offer.contractInfo).map((epoch) => epoch * 1_000),
    timeOf(offer.refundLocktime, moment) - DAY_MS,
  ];
  return Math.min(moment.now + MAX_MS, ...bounds.filter((at) => at > moment.now + SOON_MS));
}

/** What was asked for, where it is not later; else the latest. Throws `invalid_value` (expires_at). */
export function expiryOf(
  offer: Pick<OfferMessage, 'contractInfo' | 'refundLocktime'>,
  asked: number | undefined,
  moment: Moment,
): number {
  const latest = latestExpiry(offer, moment);
  if (asked === undefined) return latest;
  const wrong = (why: string) => new DomainError('invalid_value', `expires_at ${why}`, { field: 'expires_at' });
  if (asked <= moment.now) throw wrong(`is past: it is ${iso(moment.now)}`);
  if (asked > latest) {
    throw wrong(
      `must be ${iso(latest)} or earlier: seven days, the event and a day before the refund are the bounds; leave it out to wait as long as that`,
    );
  }
  return asked;
}

/** When a locktime is there, as far as can be said. */
const timeOf = (locktime: number, { now, height }: Moment): number =>
  locktime >= MIN_TIME ? locktime * 1_000 : now + (locktime - height) * BLOCK_MS;

const iso = (at: number): string => new Date(at).toISOString();
