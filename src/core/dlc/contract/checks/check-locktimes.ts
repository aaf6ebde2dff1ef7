import type { OfferMessage } from '../../dlc-messages.ts';
import { leastGap, leastGapText, MIN_TIME } from '../../refund-gap.ts';
import { announcementsOf } from '../encryption-points.ts';
import type { CheckContext } from './check-context.ts';

/**
 * Both heights or both times, the refund's later by a day, and later than the chain and than every announced event: who knows that he has
 * lost must not be able to have the refund instead.
 */
export function locktimeProblem(
  { cetLocktime, refundLocktime, contractInfo }: OfferMessage,
  tip: CheckContext['tip'],
): string | null {
  const unordered = orderProblem({ cetLocktime, refundLocktime });
  if (unordered !== null) return unordered;
  const isTime = refundLocktime >= MIN_TIME;
  // 0 locks nothing and is both.
  if (cetLocktime !== 0 && refundLocktime - cetLocktime < leastGap(refundLocktime))
    return `the refund's ${refundLocktime} is not ${leastGapText(refundLocktime)} after the CETs' ${cetLocktime}: a CET would have no time to confirm before it`;
  const past = tip && pastRefund(refundLocktime, tip);
  if (past) return past;
  const maturity = Math.max(...maturitiesOf(contractInfo));
  return isTime && refundLocktime <= maturity
    ? `the refund's ${refundLocktime} is not after the event's ${maturity}: it could be broadcast before the attestation`
    : null;
}

/** What dlcspecs demands, of a contract that stands, too: both heights or both times, the refund's later. */
export function orderProblem({
  cetLocktime,
  refundLocktime,
}: Pick<OfferMessage, 'cetLocktime' | 'refundLocktime'>): string | null {
  if (cetLocktime !== 0 && cetLocktime >= MIN_TIME !== refundLocktime >= MIN_TIME)
    return 'one is a height, the other a time';
  return cetLocktime >= refundLocktime ? `the CETs' ${cetLocktime} is not before the refund's ${refundLocktime}` : null;
}

/** What time makes of locktimes that were right: the refund can be broadcast in the next block. */
export function pastRefund(refundLocktime: number, tip: NonNullable<CheckContext['tip']>): string | null {
  return refundLocktime <= (refundLocktime >= MIN_TIME ? tip.medianTime : tip.height)
    ? `the refund's ${refundLocktime} is past: it could be broadcast at once`
    : null;
}

/** When each of the announced events is due, Unix seconds. */
export const maturitiesOf = ({ cases }: OfferMessage['contractInfo']): number[] =>
  cases.flatMap(({ oracleInfo }) => announcementsOf(oracleInfo).map(({ event }) => event.maturityEpoch));
