import type { ContractDescriptor } from '../contract-info.ts';
import { DUST_LIMIT_SATS } from '../transactions/contract-transaction.ts';

/** A counterparty that computes in floating point may come to another satoshi. A whole step of a coarser rounding is no error, but other terms. */
export const ROUNDING_TOLERANCE_SATS = 1n;

/** Whether a CET that pays the offerer `insteadSats` is taken for one that pays `offerSats`: nobody's output is lost or gained by it. */
export function isTolerated(offerSats: bigint, insteadSats: bigint, totalSats: bigint): boolean {
  if (insteadSats < 0n || insteadSats > totalSats) return false;
  const apart = insteadSats < offerSats ? offerSats - insteadSats : insteadSats - offerSats;
  return (
    apart <= ROUNDING_TOLERANCE_SATS &&
    isPaid(offerSats) === isPaid(insteadSats) &&
    isPaid(totalSats - offerSats) === isPaid(totalSats - insteadSats)
  );
}

const isPaid = (sats: bigint): boolean => sats >= DUST_LIMIT_SATS;

/** The least that each side has of any CET that is taken, where `offerSats` is agreed: exactly that where outcomes are named. */
export function leastShares(offerSats: bigint, totalSats: bigint, kind: ContractDescriptor['kind']) {
  const tolerated = (insteadSats: bigint) =>
    kind === 'numeric' && isTolerated(offerSats, insteadSats, totalSats) ? insteadSats : offerSats;
  return {
    offerSats: tolerated(offerSats - ROUNDING_TOLERANCE_SATS),
    acceptSats: totalSats - tolerated(offerSats + ROUNDING_TOLERANCE_SATS),
  };
}

export type LeastShares = ReturnType<typeof leastShares>;
