import type { OfferMessage } from '../../dlc-messages.ts';
import { announcementsOf } from '../encryption-points.ts';
import type { CheckContext } from './check-context.ts';

/** Below it a locktime is a height, from it on a time (BIP65). */
const LEAST_TIME = 500_000_000;

/**
 * Both heights or both times, the refund's later, and later than the chain and than every announced event: who knows that he has lost must
 * not be able to have the refund instead.
 */
export function locktimeProblem(
  { cetLocktime, refundLocktime, contractInfo }: OfferMessage,
  tip: CheckContext['tip'],
): string | null {
  const isTime = refundLocktime >= LEAST_TIME;
  // 0 locks nothing and is both.
  if (cetLocktime !== 0 && cetLocktime >= LEAST_TIME !== isTime) return 'one is a height, the other a time';
  if (cetLocktime >= refundLocktime) return `the CETs' ${cetLocktime} is not before the refund's ${refundLocktime}`;
  if (tip && refundLocktime <= (isTime ? tip.medianTime : tip.height))
    return `the refund's ${refundLocktime} is past: it could be broadcast at once`;
  const maturity = Math.max(
    ...contractInfo.cases.flatMap(({ oracleInfo }) =>
      announcementsOf(oracleInfo).map(({ event }) => event.maturityEpoch),
    ),
  );
  return isTime && refundLocktime <= maturity
    ? `the refund's ${refundLocktime} is not after the event's ${maturity}: it could be broadcast before the attestation`
    : null;
}
